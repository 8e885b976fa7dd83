import type { Mount, WriteContext } from '../framework/context.ts';
import type { Match, Router } from '../framework/router.ts';
import type { SystemWriteContext } from '../sys/context.ts';
import { builtInRouter } from './built-in.ts';
import type { Call } from './call.ts';
import type { HeaderRules } from './mount-headers.ts';
import type { MountEntry } from './mount-table.ts';
import type { Service } from './service.ts';
import type { Revision } from './state.ts';
import { isStatusPath } from './status.ts';

/** Where a call leads. `system`: its handlers see the whole store; otherwise only their mount's part. */
export type Route =
  | {
      readonly kind: 'engine';
      readonly mount: Mount;
      readonly headers: HeaderRules;
      readonly match: Match<WriteContext>;
    }
  | { readonly kind: 'system'; readonly mount: Mount; readonly match: Match<SystemWriteContext> };

/** A call that leads nowhere: no such path, or not with this method. It is told only to who may call there. */
export type Nowhere = 'path' | 'method';

/** The mount and the endpoint of a call. */
export function route(service: Service, revision: Revision, call: Call): Route | Nowhere {
  const located = revision.mounts.locate(call.path);
  if (located === undefined) return 'path';
  const { entry, mount, headers, relative } = located;
  const system = builtInRouter(entry);
  if (system !== undefined) {
    const found = pick(system, call, relative, (match) => ({ kind: 'system', mount, match }));
    return found === 'path' && isStatusPath(call.path) ? 'method' : found;
  }
  const engine = engineRouter(service, entry, mount);
  return pick(engine, call, relative, (match) => ({ kind: 'engine', mount, headers, match }));
}

function pick<C>(
  router: Router<C>,
  { verb, mute }: Call,
  relative: string,
  found: (match: Match<C>) => Route,
): Route | Nowhere {
  const match = router.match(verb, relative);
  if (match === undefined) return 'path';
  return match === 'method' || mute ? 'method' : found(match);
}

const engineRouter = (service: Service, entry: MountEntry, mount: Mount): Router<WriteContext> =>
  service.engines.router(entry.kind, entry.type, mount.options);
