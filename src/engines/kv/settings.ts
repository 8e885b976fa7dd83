import type { StoreReader, StoreWriter } from '../../framework/context.ts';
import { decodeRecord, encodeRecord } from '../../framework/record.ts';

/** Settings that the engine has for all of its secrets, and each secret for itself; document 3, "KV engine configuration". */
export interface Settings {
  /** 0 is unset. */
  readonly maxVersions: number;
  readonly casRequired: boolean;
  /** Milliseconds. 0 is unset; below 0, which only the engine has, no version of any secret is ever scheduled. */
  readonly deleteVersionAfter: number;
}

export const unset: Settings = { maxVersions: 0, casRequired: false, deleteVersionAfter: 0 };

const CONFIG = 'config';

/** The engine's own settings. */
export async function engineSettings(store: StoreReader): Promise<Settings> {
  return (await store.cached(CONFIG, decodeRecord<Settings>)) ?? unset;
}

export function putEngineSettings(store: StoreWriter, settings: Settings): void {
  store.put(CONFIG, encodeRecord(settings));
}

/** How many versions of a secret are kept: its own setting, else the engine's, else 10 (document 3, "Limits"; 4-open-points, KV). */
export const keptVersions = (engine: Settings, own: Settings): number => own.maxVersions || engine.maxVersions || 10;

/** Whether a write has to say which version it is for (document 3, "Rules for `cas`"). */
export const casIsRequired = (engine: Settings, own: Settings): boolean => engine.casRequired || own.casRequired;

/**
 * When a version that comes to life now is to be deleted: after the shorter of the two settings (document 3, "Create/update
 * and patch metadata body"), undefined for never.
 * @returns whole milliseconds since 1970
 */
export function deletionTime(engine: Settings, own: Settings, now: number): number | undefined {
  if (engine.deleteVersionAfter < 0) return undefined;
  const set = [engine.deleteVersionAfter, own.deleteVersionAfter].filter((after) => after > 0);
  return set.length === 0 ? undefined : now + Math.ceil(Math.min(...set));
}
