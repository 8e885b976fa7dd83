import { Lru } from '../framework/lru.ts';

/** Keys kept for one topic. */
const MAX_KEYS = 32;

/** What an entry takes besides the characters of its topic and keys, and a key besides its own: about. */
const ENTRY_BYTES = 150;
const KEY_BYTES = 40;

/** Which storage keys were read for a topic the last time; the least recently used go first. No value is held. */
export class KeyMemory {
  readonly #topics: Lru<readonly string[]>;

  constructor(maxBytes: number) {
    this.#topics = new Lru(maxBytes);
  }

  /** About what is held. */
  get bytes(): number {
    return this.#topics.bytes;
  }

  /** The keys of a topic, or undefined where none are known. */
  get(topic: string): readonly string[] | undefined {
    return this.#topics.get(topic);
  }

  /** Remembers the first 32 keys. */
  set(topic: string, keys: readonly string[]): void {
    const kept = keys.slice(0, MAX_KEYS);
    const bytes = kept.reduce((sum, key) => sum + KEY_BYTES + 2 * key.length, ENTRY_BYTES + 2 * topic.length);
    this.#topics.set(topic, kept, bytes);
  }

  clear(): void {
    this.#topics.clear();
  }
}
