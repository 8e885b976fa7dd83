import type { SealedTransaction } from '../barrier/index.ts';
import { tokenKey } from '../tokens/store.ts';
import { isBatch, isPlausible } from '../tokens/value.ts';
import type { Authority } from './authorize.ts';
import type { Call } from './call.ts';
import { KeyMemory } from './key-memory.ts';

const MEMORY_BYTES = 8 * 1024 * 1024;

/**
 * Saves trips to a distant store: what requests of a token and at a path have read, the next one alike will probably read
 * too, and all of it comes at once. A guess changes no answer. At a path it is made only for who may call there: else
 * the time that a refusal takes would tell what is stored.
 */
export class Foresight {
  readonly #memory = new KeyMemory(MEMORY_BYTES);

  /** Before the first read: for the token, and for the path where this token was answered there before. */
  begin(tx: SealedTransaction, call: Call): void {
    const { distant } = tx;
    if (distant === undefined || call.token === undefined) return;
    const stored = isPlausible(call.token);
    if (!stored && !isBatch(call.token)) return;
    const token = tokenKey(tx, call.token);
    // A batch token lies nowhere: what it depends on is all there is to read.
    distant.prefetch(stored ? [token, ...this.#keys(token)] : this.#keys(token));
    if (this.#memory.get(pair(token, call)) !== undefined) distant.prefetch(this.#keys(topic(call)));
  }

  /** Once it is known who calls: for the path. It comes with the next read, which nobody gets to who is refused. */
  identified({ distant }: SealedTransaction, call: Call, { bearer }: Authority): void {
    if (distant === undefined || bearer === undefined) return;
    this.#memory.set(bearer.key, distant.touched().read);
    distant.prefetch(this.#keys(topic(call)));
  }

  /** Once the handler has answered, so that only who was permitted something decides what is remembered. */
  answered({ distant }: SealedTransaction, call: Call, { bearer }: Authority): void {
    if (distant === undefined || bearer === undefined) return;
    const ofToken = new Set(this.#keys(bearer.key));
    const { read, put } = distant.touched();
    const here = read.filter((key) => !ofToken.has(key));
    if (here.length === 0) return;
    this.#memory.set(topic(call), here);
    this.#memory.set(pair(bearer.key, call), []);
    // What was written now is read next, or merged into; a write as a whole does not look at what it replaces.
    const touched = [...new Set([...here, ...put.filter((key) => !ofToken.has(key))])];
    if (touched.length === here.length) return;
    this.#memory.set(topic({ ...call, verb: 'read' }), touched);
    if (call.verb === 'patch') this.#memory.set(topic(call), touched);
  }

  forget(): void {
    this.#memory.clear();
  }

  #keys(topic: string): readonly string[] {
    return this.#memory.get(topic) ?? [];
  }
}

const topic = ({ verb, path }: Pick<Call, 'verb' | 'path'>): string => `${verb} ${path}`;
const pair = (token: string, call: Call): string => `${token} ${topic(call)}`;
