import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { SealedTransaction } from '../barrier/index.ts';
import type { Answer } from '../framework/answer.ts';
import type { Mount } from '../framework/context.ts';
import type { Arrived, LoginSpec } from '../framework/endpoint.ts';
import { InvalidCredentials, ServiceError } from '../framework/errors.ts';
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

/** What a refused login takes at least from when its credentials are looked at: longer than looking at them takes. */
const LEAST_MILLIS = 22;
/** A timer may be so late, and tells by how much when the process was last awake: the end itself is read off the clock. */
const LATE_MILLIS = 2;

/** A login that was refused; it is answered not before a time which tells nothing of why (known-attacks H1). */
export class RefusedLogin extends ServiceError {
  readonly #end: number;

  /** @param begun when its credentials were first looked at, in monotonic milliseconds */
  constructor(sentence: string, begun: number) {
    super(400, [sentence]);
    this.#end = begun + LEAST_MILLIS;
  }

  /** Resolves at the first turn of the event loop from that time on; others have their turns meanwhile. */
  async leastTime(): Promise<void> {
    const left = this.#end - LATE_MILLIS - performance.now();
    if (left > 0) await sleep(left);
    while (performance.now() < this.#end) await turn();
  }
}

/**
 * Runs a login under the lockout of its mount; anything else just runs. Each refused login counts, in the same transaction:
 * so no more than `threshold` attempts are decided by the credentials, with any number at once on any number of nodes.
 * Who is locked out is refused as for a wrong password, whatever the password, and so that it takes as long: the
 * handler runs, and every refusal writes (known-attacks R6, B4, H1).
 */
export async function underLockout(
  tx: SealedTransaction,
  revision: Revision,
  { match, mount }: Route,
  values: Arrived,
  run: () => Awaitable<Answer>,
): Promise<Answer> {
  const { login } = match.endpoint;
  if (login === undefined) return run();
  // Before anything is read that depends on who logs in.
  const begun = performance.now();
  try {
    return await counted(tx, revision, { login, mount }, values, run);
  } catch (refusal) {
    throw refusal instanceof InvalidCredentials ? new RefusedLogin(login.refusal, begun) : refusal;
  }
}

async function counted(
  tx: SealedTransaction,
  revision: Revision,
  { login, mount }: { readonly login: LoginSpec<Arrived>; readonly mount: Mount },
  values: Arrived,
  run: () => Awaitable<Answer>,
): Promise<Answer> {
  const rules = lockoutRules(revision.mounts.at(mount.path)?.config.lockout);
  if (rules.disabled) return run();
  const alias = login.alias(values);
  const prefix = mountPrefix(mount.uuid);
  const own = lockoutKey(mountMac(tx, mount.uuid), alias);
  const key = prefix + own;
  // It comes along with what the handler reads.
  tx.distant?.prefetch([key]);
  const tried = await attempt(run);
  const record = await tx.get(key);
  const failures = record === undefined ? undefined : decodeRecord<Failures>(record);
  const locked = failures !== undefined && isLocked(failures, rules, tx.now);
  if (!locked && !(tried instanceof InvalidCredentials)) {
    if (failures !== undefined) tx.delete(key);
    return tried;
  }
  const refusal = tried instanceof InvalidCredentials ? tried : new InvalidCredentials(login.refusal, true);
  const counts = refusal.known && !locked;
  tx.spend.put(counts ? key : prefix + idleKey(own), encodeRecord(afterFailure(failures, alias, rules, tx.now)));
  throw refusal;
}

/** What a login came to: its answer, or that its credentials are not good. */
async function attempt(run: () => Awaitable<Answer>): Promise<Answer | InvalidCredentials> {
  try {
    return await run();
  } catch (refusal) {
    if (refusal instanceof InvalidCredentials) return refusal;
    throw refusal;
  }
}

/**
 * Where a refusal writes that does not count, so that it takes as long where the store is slow: of a name that nobody has, or
 * that is locked out. Nobody reads these 1,024 records, so such refusals do not disturb each other.
 */
const idleKey = (own: string): string => `${LOCKOUTS}idle/${own.slice(-2)}`;
