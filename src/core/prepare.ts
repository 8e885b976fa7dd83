import { isDeepStrictEqual } from 'node:util';
import type { Barrier, SealedTransaction } from '../barrier/index.ts';
import type { PrepareContext } from '../framework/context.ts';
import type { Call } from './call.ts';
import { mountPrefix } from './mount-store.ts';
import type { Route } from './route.ts';

/**
 * Slow work that was done before the transaction: what it gave, or why it refused, and what it relied on. It reads in
 * transactions of its own, and the raw records tell the request's transaction whether all of that still holds.
 */
export class Prepared {
  readonly #way: Route;
  readonly #relied: ReadonlyMap<string, Buffer | undefined>;
  /** What the work gave. Throws its refusal. */
  readonly result: () => unknown;

  private constructor(way: Route, relied: ReadonlyMap<string, Buffer | undefined>, result: () => unknown) {
    this.#way = way;
    this.#relied = relied;
    this.result = result;
  }

  /** Does the work. Its refusal is kept, to be thrown in the transaction, where it counts as a use of the token. */
  static async make(
    barrier: Barrier,
    way: Route,
    call: Call,
    work: (context: PrepareContext) => Promise<unknown>,
  ): Promise<Prepared> {
    const { mount } = way;
    const relied = new Map<string, Buffer | undefined>();
    const read = (key: string): Promise<Buffer | undefined> =>
      barrier.transact(async (tx) => {
        const full = mountPrefix(mount.uuid) + key;
        relied.set(full, await tx.version(full));
        return tx.get(full);
      });
    const store = { get: read, getMany: (keys: readonly string[]) => Promise.all(keys.map(read)) };
    try {
      const given = await work({ store, mount, peer: call.request.peer });
      return new Prepared(way, relied, () => given);
    } catch (refusal) {
      return new Prepared(way, relied, () => {
        throw refusal;
      });
    }
  }

  /** Has what the work relied on come with the transaction's first trip to a distant store. */
  foresee({ distant }: SealedTransaction): void {
    distant?.prefetch([...this.#relied.keys()]);
  }

  /** Whether the call still leads to the endpoint and the mount it was done for, and all that was read is as it was. */
  async holds(tx: SealedTransaction, { match, mount }: Route): Promise<boolean> {
    if (match.endpoint !== this.#way.match.endpoint || !isDeepStrictEqual(mount, this.#way.mount)) return false;
    for (const [key, relied] of this.#relied) {
      const raw = await tx.version(key);
      if (raw === undefined || relied === undefined ? raw !== relied : !raw.equals(relied)) return false;
    }
    return true;
  }
}
