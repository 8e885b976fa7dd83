import { encodeRecord } from '../../framework/record.ts';
import { leasesOf } from '../../leases/record.ts';
import { changeCut } from '../cuts.ts';
import { addPurge, type Claim, type JobRecord } from '../job.ts';
import type { JobService } from '../jobs.ts';
import { mountPrefix } from '../mount-store.ts';
import { walkLeases } from './walk.ts';

/**
 * Removes the next of the tokens and leases that a cut ended, and with the last of them the cut and the job. A mount that has
 * ended is kept for as long as its engine fails to take something back; then its data is purged.
 */
export async function revokeBatch(
  service: JobService,
  key: string,
  record: JobRecord,
  claim: (now: number) => Claim,
): Promise<boolean> {
  const { barrier, state } = service;
  const { prefix, after = '' } = record;
  const find = (id = record.cut) =>
    barrier.transact(async (tx) => (await state.current(tx)).cuts.all.find((cut) => cut.id === id));
  const cut = await find();
  const walked = cut && (await walkLeases(service, prefix, after, cut.force));
  if (walked?.done === false) return putProgress(service, key, record, walked.after, claim);
  const left = cut?.ended !== undefined && (await holdsAny(service, leasesOf(cut.mount)));
  if (left) {
    await putProgress(service, key, record, '', claim);
    throw new Error('the engine of a mount that has ended could not take back all that it gave out');
  }
  return barrier.transact(async (tx) => {
    tx.delete(key);
    if (cut === undefined) return true;
    await changeCut(tx, cut.id, undefined);
    if (cut.ended !== undefined) addPurge(tx, mountPrefix(cut.mount));
    return true;
  });
}

/** Looks at the next of all tokens and leases, and removes those that have ended; the last batch removes the job. */
export async function tidyBatch(
  service: JobService,
  key: string,
  record: JobRecord,
  claim: (now: number) => Claim,
): Promise<boolean> {
  const { after, done } = await walkLeases(service, record.prefix, record.after ?? '', false);
  if (!done) return putProgress(service, key, record, after, claim);
  await service.barrier.transact((tx) => tx.delete(key));
  return true;
}

/** Says how far a job is; true where another runner has ended it meanwhile. */
const putProgress = (
  { barrier }: JobService,
  key: string,
  record: JobRecord,
  after: string,
  claim: (now: number) => Claim,
): Promise<boolean> =>
  barrier.transact(async (tx) => {
    if ((await tx.version(key)) === undefined) return true;
    tx.put(key, encodeRecord({ ...record, after, claim: claim(tx.now) }));
    return false;
  });

const holdsAny = ({ barrier }: JobService, prefix: string): Promise<boolean> =>
  barrier.transact(async (tx) => (await tx.list({ prefix, after: '', limit: 1 })).length > 0);
