/** A decoded record, good for exactly the raw bytes that it was decoded from. */
interface Entry {
  readonly raw: Buffer;
  readonly decode: unknown;
  readonly value: unknown;
  readonly bytes: number;
}

/** Least recently used decoded records, bounded by the sum of their stated sizes. */
export class RecordCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Sum of the sizes of what is held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The value that `decode` made of exactly these raw bytes. */
  get<T>(key: string, raw: Buffer, decode: (plain: Buffer) => T): { readonly value: T } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.decode !== decode || !entry.raw.equals(raw)) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    // The same function made it, so it is a T: the one thing that the Map's type cannot say.
    return { value: entry.value as T };
  }

  /** Holds a value of about `bytes` bytes; nothing where it is larger than the whole cache. */
  set<T>(key: string, raw: Buffer, decode: (plain: Buffer) => T, value: T, bytes: number): void {
    this.#delete(key);
    const size = bytes + raw.length + key.length * 2;
    if (size > this.#maxBytes) return;
    // A copy: the store may reuse its buffer, and a slice would keep a whole page alive.
    this.#entries.set(key, { raw: Buffer.from(raw), decode, value, bytes: size });
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
