import type { AclView } from '../policies/index.ts';
import type { Call } from './call.ts';
import type { Route } from './route.ts';

/** The paths, without `/v1/`, that a name in a list stands for; those of a folder end in `/`. */
export type PathsOfName = (name: string) => readonly string[];

/**
 * Whether a name in a list is shown: a secret or the like to who may read one of its paths, a folder to whom it is open.
 * @param opens whether a folder is open to the caller: where nothing is said, who may list it
 */
export function visibleNames(
  acl: Pick<AclView, 'allows'>,
  pathsOf: PathsOfName,
  opens: (folder: string) => boolean = (folder) => acl.allows('list', folder),
): (name: string) => boolean {
  return (name) => pathsOf(name).some((path) => (path.endsWith('/') ? opens(path) : acl.allows('read', path)));
}

/** The option of a mount that filters its lists and scans to what the caller may see. */
const FILTER_LISTS = 'filter_lists';

/**
 * The filter of the mount for a list or scan; undefined where all names are shown. A folder is open to who may do
 * anything at or beneath it, so that each can find the way to what is theirs.
 */
export function listFilter(
  { mount, match: { endpoint, captured } }: Route,
  { verb }: Pick<Call, 'verb'>,
  acl: AclView,
): ((name: string) => boolean) | undefined {
  if (verb !== 'list' && verb !== 'scan') return undefined;
  if (endpoint.entries.length === 0 || mount.options.get(FILTER_LISTS) !== 'true') return undefined;
  const folder = captured.get('path') ?? '';
  const within = folder === '' ? '' : `${folder}/`;
  const beginnings = endpoint.entries.map((entry) => `${mount.path}${entry.slice(0, entry.indexOf(':'))}${within}`);
  return visibleNames(
    acl,
    (name) => beginnings.map((beginning) => beginning + name),
    (path) => acl.reaches(path),
  );
}
