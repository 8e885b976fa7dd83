import { encodeRecord } from '../../framework/record.ts';
import { leasesOf } from '../../leases/record.ts';
import { changeCut } from '../cuts.ts';
import { addPurge, type Claim, type JobRecord } from '../job.ts';
import type { JobService } from '../jobs.ts';
import { mountPrefix } from '../mount-store.ts';
import { walkLeases } from './walk.ts';

/**
 * Removes the next of the tokens and leases that a cut ended, and with the last of them the cut and the job. The cut stays
 * for as long as something could not be removed, or that would count again; a mount that has ended for as long as its engine
 * fails to take something back. Then its data is purged.
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
  const failed = record.failed === true || walked?.failed === true;
  if (walked?.done === false) return putProgress(service, key, record, { after: walked.after, failed }, claim);
  const left = cut?.ended !== undefined && (await holdsAny(service, leasesOf(cut.mount)));
  if (failed || left) {
    await putProgress(service, key, record, { after: '', failed: false }, claim);
    throw new Error('not all that has ended could be removed, or taken back by the engine of its mount');
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
  if (!done) return putProgress(service, key, record, { after }, claim);
  await service.barrier.transact((tx) => tx.delete(key));
  return true;
}

/** Says how far a job is; true where another runner has ended it meanwhile. */
const putProgress = (
  { barrier }: JobService,
  key: string,
  record: JobRecord,
  progress: Pick<JobRecord, 'after' | 'failed'>,
  claim: (now: number) => Claim,
): Promise<boolean> =>
  barrier.transact(async (tx) => {
    if ((await tx.version(key)) === undefined) return true;
    tx.put(key, encodeRecord({ ...record, ...progress, claim: claim(tx.now) }));
    return false;
  });

const holdsAny = ({ barrier }: JobService, prefix: string): Promise<boolean> =>
  barrier.transact(async (tx) => (await tx.list({ prefix, after: '', limit: 1 })).length > 0);
