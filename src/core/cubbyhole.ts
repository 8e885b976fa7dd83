import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import type { Bearer } from '../tokens/authenticate.ts';
import { holdCubbyhole } from '../tokens/holding.ts';
import { putToken } from '../tokens/store.ts';
import { MountStore, mountPrefix } from './mount-store.ts';

/** The type of the mount whose data is each token's own. */
export const CUBBYHOLE = 'cubbyhole';

/**
 * One token's part of the cubbyhole. It lies under a keyed hash of the token's accessor, which is never given twice, so
 * that who comes to have the same value later does not find it. The first write is noted in the token's record: then it goes with the token.
 */
export class CubbyholeStore extends MountStore {
  readonly #tx: SealedTransaction;
  readonly #bearer: Bearer;
  readonly #prefix: string;

  /** 400 for a batch token, which has none. */
  constructor(tx: SealedTransaction, uuid: string, bearer: Bearer) {
    if (bearer.record.type === 'batch') throw badRequest('a batch token has no cubbyhole: use a service token');
    const own = `${uuid}/${tx.mac('cubbyhole', bearer.record.accessor)}`;
    super(tx, own, () => {});
    this.#tx = tx;
    this.#bearer = bearer;
    this.#prefix = mountPrefix(own);
  }

  /** 400 in the last use of a token: what it wrote would be gone with it. */
  override put(key: string, value: Buffer): void {
    const { key: tokenKey, record, restricted } = this.#bearer;
    // A token whose last use this is has been removed, and must not come back by being noted.
    if (restricted && record.numUses === 0)
      throw badRequest('this is the last use of the token: its cubbyhole ends with it');
    if (record.holds === undefined) {
      putToken(this.#tx, tokenKey, holdCubbyhole(this.#tx, tokenKey, record, this.#prefix));
    }
    super.put(key, value);
  }
}
