import type { AclView } from '../policies/index.ts';
import { CAPABILITIES, policyPath } from './authorize.ts';
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

/** What filters a list or scan: the mount and the rule that permits it, both; undefined where all names are shown. */
export function listFilter(route: Route, call: Call, acl: AclView): Visible | undefined {
  if (call.verb !== 'list' && call.verb !== 'scan') return undefined;
  const filters = [...mountFilter(route, acl), ...ruleFilters(route, call, acl)];
  return filters.length === 0 ? undefined : (name) => filters.every((visible) => visible(name));
}

type Visible = (name: string) => boolean;

/** A folder is open to who may do anything at or beneath it, so that each can find the way to what is theirs. */
function mountFilter({ mount, match: { endpoint, captured } }: Route, acl: AclView): readonly Visible[] {
  if (endpoint.entries.length === 0 || mount.options.get(FILTER_LISTS) !== 'true') return [];
  const folder = captured.get('path') ?? '';
  const within = folder === '' ? '' : `${folder}/`;
  const beginnings = endpoint.entries.map((entry) => `${mount.path}${entry.slice(0, entry.indexOf(':'))}${within}`);
  return [
    visibleNames(
      acl,
      (name) => beginnings.map((beginning) => beginning + name),
      (path) => acl.reaches(path),
    ),
  ];
}

/** `list_scan_response_keys_filter_path`: a name counts by the path that its rule makes of it, a folder for who may list. */
function ruleFilters({ match: { endpoint } }: Route, call: Call, acl: AclView): readonly Visible[] {
  if (endpoint.access !== 'policy') return [];
  const folder = policyPath(call);
  const { keyFilters = [] } = acl.decide(CAPABILITIES[call.verb], folder)?.constraints ?? {};
  return keyFilters.map((filter) => (name) => {
    const path = filter.pathOf(folder, name);
    return path !== undefined && acl.allows(name.endsWith('/') ? 'list' : 'read', path);
  });
}
