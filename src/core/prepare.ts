import type { Barrier, SealedTransaction } from '../barrier/index.ts';
import type { Mount, PrepareContext } from '../framework/context.ts';
import type { Call } from './call.ts';
import { mountPrefix } from './mount-store.ts';

/**
 * Slow work that was done before the transaction: what it gave, or why it refused, and what it relied on. It reads in
 * transactions of its own, and the raw records tell the request's transaction whether all of that still holds.
 */
export class Prepared {
  readonly #relied: ReadonlyMap<string, Buffer | undefined>;
  /** What the work gave. Throws its refusal. */
  readonly result: () => unknown;

  private constructor(relied: ReadonlyMap<string, Buffer | undefined>, result: () => unknown) {
    this.#relied = relied;
    this.result = result;
  }

  /** Does the work. Its refusal is kept, to be thrown in the transaction, where it counts as a use of the token. */
  static async make(
    barrier: Barrier,
    mount: Mount,
    call: Call,
    work: (context: PrepareContext) => Promise<unknown>,
  ): Promise<Prepared> {
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
      return new Prepared(relied, () => given);
    } catch (refusal) {
      return new Prepared(relied, () => {
        throw refusal;
      });
    }
  }

  /** Whether all that was read is still as it was. */
  async holds(tx: SealedTransaction): Promise<boolean> {
    for (const [key, relied] of this.#relied) {
      const raw = await tx.version(key);
      if (raw === undefined || relied === undefined ? raw !== relied : !raw.equals(relied)) return false;
    }
    return true;
  }
}
