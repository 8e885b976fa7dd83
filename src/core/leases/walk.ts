import type { SealedTransaction } from '../../barrier/index.ts';
import { scanNames } from '../../framework/scan.ts';
import { isLeaseId, lastPart, readLease } from '../../leases/record.ts';
import { keyOfId } from '../../tokens/accessor.ts';
import { lives, readToken, removeToken } from '../../tokens/store.ts';
import { apart } from '../apart.ts';
import type { JobService } from '../jobs.ts';
import { LOOKS_PER_SECOND, Pace } from '../pace.ts';
import { settleLease } from './settle.ts';

/** Names looked at before a job says how far it is; tokens in one transaction, each of which may have 31 ancestors, and leases at once. */
const PAGE = 256;
const TOKENS = { size: 16, atOnce: 4 };
const LEASES = { size: 8 };

export interface Walked {
  /** The last name that was looked at. */
  readonly after: string;
  readonly done: boolean;
  /** Whether something that has ended could not be removed. */
  readonly failed: boolean;
}

/**
 * Looks at the next of the tokens and leases that a folder lists, and removes those that have ended. What is listed and not
 * there is taken from the list. Names are read apart from the work, so that new ones disturb nobody.
 */
export async function walkLeases(service: JobService, prefix: string, after: string, forget: boolean): Promise<Walked> {
  const { keys, done } = await service.barrier.transact((tx) => scanNames(tx, prefix, after).next(PAGE));
  const names = keys.map((name) => prefix + name);
  const isLease = (name: string): boolean => isLeaseId(lastPart(name));
  let failures = 0;
  const damaged = (name: string, error: unknown): void => {
    if (service.barrier.sealed) throw error;
    failures++;
    service.log.error('a token or lease that has ended could not be removed', { record: name, error });
  };
  const pace = new Pace(LOOKS_PER_SECOND);
  const endSome = async (some: readonly string[]): Promise<void> => {
    await pace.take(some.length);
    await service.barrier.transact((tx) => endTokens(tx, service, some));
  };
  const settleSome = async (some: readonly string[]): Promise<void> => {
    await pace.take(some.length);
    await Promise.all(some.map((name) => settle(service, name, forget)));
  };
  await apart(
    names.filter((name) => !isLease(name)),
    TOKENS,
    endSome,
    damaged,
  );
  await apart(names.filter(isLease), LEASES, settleSome, damaged);
  return { after: keys.at(-1) ?? '', done, failed: failures > 0 };
}

async function endTokens(tx: SealedTransaction, { state }: JobService, names: readonly string[]): Promise<void> {
  const standing = await state.current(tx);
  for (const name of names) {
    const found = await keyOfId(tx, lastPart(name).slice(1));
    const record = found && (await readToken(tx, found.key));
    if (found === undefined || record?.accessor !== found.accessor) tx.delete(name);
    else if (!(await lives(tx, standing, record))) removeToken(tx, tx, found.key, record);
  }
}

async function settle(service: JobService, name: string, forget: boolean): Promise<void> {
  const id = lastPart(name);
  if ((await settleLease(service, id, { forget })) !== 'gone') return;
  await service.barrier.transact(async (tx) => {
    if ((await readLease(tx, id)) === undefined) tx.delete(name);
  });
}
