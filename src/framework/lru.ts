interface Entry<T> {
  readonly key: string;
  readonly value: T;
  readonly bytes: number;
  older: Entry<T> | undefined;
  newer: Entry<T> | undefined;
}

/** What was used last, bounded by the sum of the sizes that are stated: the least recently used goes first. */
export class Lru<T> {
  /**
   * Their order is a list beside the map. The order of the map itself will not do: a key that is deleted and set again leaves a
   * hole in the chain of its bucket, so that a key in much use would be looked for among thousands of its own.
   */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #maxBytes: number;
  #oldest: Entry<T> | undefined;
  #newest: Entry<T> | undefined;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Sum of the sizes of what is held. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Takes the place of what was held under this key; nothing is held where it is larger than all may be. */
  set(key: string, value: T, bytes: number): void {
    const before = this.#entries.get(key);
    if (before !== undefined) this.#remove(before);
    if (bytes > this.#maxBytes) return;
    const entry: Entry<T> = { key, value, bytes, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#bytes += bytes;
    while (this.#oldest !== undefined && this.#bytes > this.#maxBytes) this.#remove(this.#oldest);
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
    this.#bytes = 0;
  }

  #remove(entry: Entry<T>): void {
    this.#entries.delete(entry.key);
    this.#unlink(entry);
    this.#bytes -= entry.bytes;
  }

  #append(entry: Entry<T>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<T>): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
