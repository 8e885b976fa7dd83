import type { Engine } from '../framework/engine.ts';
import { kv } from './kv/index.ts';

/** The secrets engines of this server. */
export const engines: readonly Engine[] = [kv];
