import type { StoreReader, StoreWriter } from '../../framework/context.ts';
import { decodeRecord, encodeRecord } from '../../framework/record.ts';

/**
 * Secret ids by the time they expire, so that those that have are taken out. Nothing depends on it: an expired one is
 * refused whether it is still stored or not. In 16 parts, by the first digit of the accessor, so that writers who clean up
 * at once seldom meet.
 */
interface Note {
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly accessor: string;
  /** What goes with it. */
  readonly keys: readonly string[];
}

const PARTS = '0123456789abcdef';
const TIME_DIGITS = 14;

/** Taken out by each new one: more than it adds, so that there are never many. */
const WITH_EACH = 2;

const partOf = (accessor: string): string => `expiry/${accessor.charAt(0)}/`;
const timeText = (millis: number): string => String(millis).padStart(TIME_DIGITS, '0');
const noteKey = ({ expires, accessor }: Omit<Note, 'keys'>): string =>
  `${partOf(accessor)}${timeText(expires)}-${accessor}`;

export const putExpiry = (store: StoreWriter, note: Note): void => store.put(noteKey(note), encodeRecord(note.keys));

export const dropExpiry = (store: StoreWriter, note: Omit<Note, 'keys'>): void => store.delete(noteKey(note));

/** Takes out a few that have expired, of the part that this accessor belongs to. */
export async function dropExpired(store: StoreWriter, accessor: string, now: number): Promise<void> {
  for (const note of await expired(store, partOf(accessor), now, WITH_EACH)) drop(store, note);
}

/** Takes out those that have expired, at most as many as one transaction may; tells whether there may be more. */
export async function dropAllExpired(store: StoreWriter, now: number): Promise<boolean> {
  // Each is read, and three keys of it go.
  const perPart = Math.floor(store.maxWrites / 4 / PARTS.length);
  const parts = await Promise.all([...PARTS].map((part) => expired(store, partOf(part), now, perPart)));
  for (const note of parts.flat()) drop(store, note);
  return parts.some((notes) => notes.length === perPart);
}

const expired = (store: StoreReader, part: string, now: number, limit: number) =>
  store.range({ start: part, end: part + timeText(now + 1), limit });

function drop(store: StoreWriter, { key, value }: { readonly key: string; readonly value: Buffer }): void {
  store.delete(key);
  for (const gone of decodeRecord<readonly string[]>(value)) store.delete(gone);
}
