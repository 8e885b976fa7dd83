import type { Store, Transaction } from '../storage/store.ts';
import { FORMAT } from './names.ts';

const CURRENT = 'keyhold 1';

/** Marks the data as of this version; in the transaction of init. */
export function writeFormat(tx: Transaction): void {
  tx.put(FORMAT, Buffer.from(CURRENT));
}

/** For the start of a server. Throws where the store holds data that this version does not read; an empty store passes. */
export async function checkFormat(store: Store): Promise<void> {
  await store.transact(async (tx) => {
    const found = (await tx.get(FORMAT))?.toString();
    if (found === CURRENT) return;
    if (found !== undefined) {
      throw new Error(
        `data of another version: found ${JSON.stringify(found.slice(0, 64))}, this server reads "${CURRENT}"`,
      );
    }
    const names = await tx.list({ prefix: '', after: '', limit: 1 });
    if (names.length > 0) throw new Error(`the store holds data that is not of this server: ${FORMAT} is missing`);
  });
}
