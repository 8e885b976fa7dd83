import type { Barrier, SealedTransaction } from '../barrier/index.ts';
import { encodeRecord } from '../framework/record.ts';
import type { Claim, JobRecord } from './job.ts';

/** Keys deleted by one transaction; it may touch twice as many. */
const BATCH = 500;

/**
 * Deletes up to 500 of the keys of a purge, where nothing writes any more, and with the last of them the job's own record;
 * else it puts the record with a new claim. Names are read apart from the deletion, and no value is opened: a record that is
 * damaged is deleted like any other.
 */
export async function purgeBatch(
  barrier: Pick<Barrier, 'transact'>,
  key: string,
  record: JobRecord,
  claim: (now: number) => Claim,
): Promise<boolean> {
  const { prefix, before } = record;
  const end = before === undefined ? undefined : Buffer.from(prefix + before);
  const keys = await barrier.transact((tx) => keysBeneath(tx, prefix, end, BATCH));
  const last = keys.length < BATCH;
  return barrier.transact(async (tx) => {
    // Another runner may have been first: what it removed must not come back.
    const done = (await tx.version(key)) === undefined;
    for (const gone of keys) tx.delete(gone);
    if (last) tx.delete(key);
    else if (!done) tx.put(key, encodeRecord({ ...record, claim: claim(tx.now) }));
    return last || done;
  });
}

/** The first keys under a prefix, less than `end` as bytes, at most `limit`. As deep as keys are, which are shorter than 1,900 bytes. */
async function keysBeneath(
  tx: SealedTransaction,
  prefix: string,
  end: Buffer | undefined,
  limit: number,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const name of await tx.list({ prefix, after: '', limit })) {
    const key = prefix + name;
    if (keys.length === limit || (end !== undefined && Buffer.from(key).compare(end) >= 0)) break;
    if (name.endsWith('/')) keys.push(...(await keysBeneath(tx, key, end, limit - keys.length)));
    else keys.push(key);
  }
  return keys;
}
