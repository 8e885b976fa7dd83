/** Keys kept for one topic. */
const MAX_KEYS = 32;

/** What an entry takes besides the characters of its topic and keys, and a key besides its own: about. */
const ENTRY_BYTES = 150;
const KEY_BYTES = 40;

/** Which storage keys were read for a topic the last time; the least recently used go first. No value is held. */
export class KeyMemory {
  readonly #topics = new Map<string, { readonly keys: readonly string[]; readonly bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** About what is held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The keys of a topic, or undefined where none are known. */
  get(topic: string): readonly string[] | undefined {
    const known = this.#topics.get(topic);
    if (known === undefined) return undefined;
    this.#topics.delete(topic);
    this.#topics.set(topic, known);
    return known.keys;
  }

  /** Remembers the first 32 keys. */
  set(topic: string, keys: readonly string[]): void {
    this.#delete(topic);
    const kept = keys.slice(0, MAX_KEYS);
    const bytes = kept.reduce((sum, key) => sum + KEY_BYTES + 2 * key.length, ENTRY_BYTES + 2 * topic.length);
    this.#topics.set(topic, { keys: kept, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#topics.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  clear(): void {
    this.#topics.clear();
    this.#bytes = 0;
  }

  #delete(topic: string): void {
    this.#bytes -= this.#topics.get(topic)?.bytes ?? 0;
    this.#topics.delete(topic);
  }
}
