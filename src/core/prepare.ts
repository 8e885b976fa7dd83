import type { Barrier, SealedTransaction } from '../barrier/index.ts';
import type { Mount, PrepareContext } from '../framework/context.ts';
import { mountPrefix } from './mount-store.ts';

/**
 * The reads of a `prepare` step, each in a transaction of its own. What it relied on is remembered by the raw records,
 * so that the request's transaction can tell whether it still holds.
 */
export class Preparation {
  readonly context: PrepareContext;
  readonly #relied = new Map<string, Buffer | undefined>();

  constructor(barrier: Barrier, mount: Mount, peer: string) {
    const read = (key: string): Promise<Buffer | undefined> =>
      barrier.transact(async (tx) => {
        const full = mountPrefix(mount.uuid) + key;
        this.#relied.set(full, await tx.version(full));
        return tx.get(full);
      });
    this.context = { store: { get: read, getMany: (keys) => Promise.all(keys.map(read)) }, mount, peer };
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
