import type { SealedTransaction } from '../barrier/index.ts';
import type { Answer } from '../framework/answer.ts';
import type { Arrived } from '../framework/endpoint.ts';
import { InvalidCredentials } from '../framework/errors.ts';
import { LOCKOUTS, lockoutKey } from '../framework/lockout.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import type { Awaitable } from '../storage/store.ts';
import { type LockoutRules, lockoutRules } from './lockout-settings.ts';
import { mountMac, mountPrefix } from './mount-store.ts';
import type { Route } from './route.ts';
import type { Revision } from './state.ts';

/** The failures of one user or role in a row. */
export interface Failures {
  /** As logins give it, in its one form. */
  readonly alias: string;
  readonly count: number;
  /** Of the last one that counted; milliseconds since 1970. */
  readonly last: number;
}

export const isLocked = ({ count, last }: Failures, rules: LockoutRules, now: number): boolean =>
  count >= rules.threshold && now < last + rules.duration * 1_000;

const afterFailure = (failures: Failures | undefined, alias: string, rules: LockoutRules, now: number): Failures => {
  const anew = failures === undefined || now > failures.last + rules.counterReset * 1_000;
  return { alias, count: anew ? 1 : failures.count + 1, last: now };
};

/**
 * Runs a login under the lockout of its mount; anything else just runs. Each refused login counts, in the same transaction:
 * so no more than `threshold` attempts are decided by the credentials, with any number at once on any number of nodes.
 * Who is locked out is refused as for a wrong password, whatever the password, and so that it takes as long: the
 * handler runs, and a refusal of any kind reads and writes the same (known-attacks R6, B4, H1).
 */
export async function underLockout(
  tx: SealedTransaction,
  revision: Revision,
  { match, mount }: Route,
  values: Arrived,
  run: () => Awaitable<Answer>,
): Promise<Answer> {
  const { login } = match.endpoint;
  const rules = lockoutRules(revision.mounts.at(mount.path)?.config.lockout);
  if (login === undefined || rules.disabled) return run();
  const alias = login.alias(values);
  const prefix = mountPrefix(mount.uuid);
  const mac = mountMac(tx, mount.uuid);
  const key = prefix + lockoutKey(mac, alias);
  const strangers = prefix + strangersKey(mac, alias);
  const [record] = await tx.getMany([key, strangers]);
  // One record more is opened where there is none, and its count is nothing: so the time does not tell who has failed.
  const opened = record ?? (await tx.get(strangers));
  const found = opened && decodeRecord<Failures>(opened);
  const failures = record === undefined ? undefined : found;
  const locked = failures !== undefined && isLocked(failures, rules, tx.now);
  try {
    const answer = await run();
    if (locked) throw new InvalidCredentials(login.refusal, true);
    if (failures !== undefined) tx.delete(key);
    return answer;
  } catch (refusal) {
    if (!(refusal instanceof InvalidCredentials)) throw refusal;
    const counted = locked ? failures : afterFailure(failures, alias, rules, tx.now);
    tx.spend.put(refusal.known ? key : strangers, encodeRecord(counted));
    throw refusal;
  }
}

/** Names that nobody has share a fixed number of records, in which nothing is kept: a refusal just writes as for others. */
const strangersKey = (mac: (text: string) => string, alias: string): string =>
  `${LOCKOUTS}strangers/${mac(`stranger ${alias}`).slice(0, 2)}`;
