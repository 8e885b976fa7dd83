import { tokenEndpoints } from '../auth/token/index.ts';
import { Router } from '../framework/router.ts';
import { identityEndpoints } from '../identity/index.ts';
import type { SystemWriteContext } from '../sys/context.ts';
import { systemEndpoints } from '../sys/index.ts';
import type { MountEntry } from './mount-table.ts';

/** What is mounted from the first start and stays: its handlers see the whole store. */
const ROUTERS: ReadonlyMap<string, Router<SystemWriteContext>> = new Map([
  ['system', new Router(systemEndpoints)],
  ['token', new Router(tokenEndpoints)],
  ['identity', new Router(identityEndpoints)],
]);

/** The router of a built-in mount; none for the mount of an engine. */
export const builtInRouter = (entry: MountEntry): Router<SystemWriteContext> | undefined => ROUTERS.get(entry.type);
