import { Lru } from '../framework/lru.ts';

/** A decoded record, good for exactly the raw bytes that it was decoded from. */
interface Entry {
  readonly raw: Buffer;
  readonly decode: unknown;
  readonly value: unknown;
}

/** Least recently used decoded records, bounded by the sum of their stated sizes. */
export class RecordCache {
  readonly #entries: Lru<Entry>;

  constructor(maxBytes: number) {
    this.#entries = new Lru(maxBytes);
  }

  /** Sum of the sizes of what is held. */
  get bytes(): number {
    return this.#entries.bytes;
  }

  /** The value that `decode` made of exactly these raw bytes. */
  get<T>(key: string, raw: Buffer, decode: (plain: Buffer) => T): { readonly value: T } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.decode !== decode || !entry.raw.equals(raw)) return undefined;
    // The same function made it, so it is a T: the one thing that the Map's type cannot say.
    return { value: entry.value as T };
  }

  /** Holds a value of about `bytes` bytes; nothing where it is larger than the whole cache. */
  set<T>(key: string, raw: Buffer, decode: (plain: Buffer) => T, value: T, bytes: number): void {
    // A copy: the store may reuse its buffer, and a slice would keep a whole page alive.
    this.#entries.set(key, { raw: Buffer.from(raw), decode, value }, bytes + raw.length + key.length * 2);
  }

  clear(): void {
    this.#entries.clear();
  }
}
