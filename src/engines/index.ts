import type { Engine } from '../framework/engine.ts';
import { cubbyhole } from './cubbyhole/index.ts';
import { kv } from './kv/index.ts';

/** The secrets engines of this server. */
export const engines: readonly Engine[] = [cubbyhole, kv];
