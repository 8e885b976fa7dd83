import type { SealedTransaction } from '../barrier/index.ts';
import type { LeaseGrant, LeaseView } from '../framework/answer.ts';
import type { Mount } from '../framework/context.ts';
import { badRequest } from '../framework/errors.ts';
import type { Bearer } from '../tokens/authenticate.ts';
import { noteAgain } from '../tokens/holding.ts';
import { lifetime } from '../tokens/lifetime.ts';
import { putToken, readToken } from '../tokens/store.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { type Holder, indexLease, isLeaseId, nameWithin, putLease, tokenOf } from './record.ts';

/** Where a lease comes from. */
export interface LeaseOrigin {
  readonly mount: Mount;
  /** Within the mount, as it was asked for: `creds/r`. */
  readonly path: string;
  /** The caller's; of nobody's call there is none. */
  readonly bearer: Bearer | undefined;
  /** Milliseconds since 1970: the transaction's time, or just after what ended all leases of the moment. */
  readonly issued: number;
}

/**
 * Stores the lease that an answer is born with. It lives no longer than the mount allows, nor than a batch token that asked
 * for it (known-attacks B7), and ends with its token. 400 where the request was the token's last use: what it fetched would
 * be gone before it is read (4-open-points, Tokens).
 */
export async function grantLease(
  tx: SealedTransaction,
  grant: LeaseGrant,
  { mount, path, bearer, issued }: LeaseOrigin,
): Promise<LeaseView> {
  const { id, note } = grant;
  if (!isLeaseId(id))
    throw new Error('the id of a lease has 22 to 48 characters of base64url, made of 16 random bytes or more');
  if (bearer?.restricted && bearer.record.numUses === 0) {
    throw badRequest(
      'this is the last use of the token, with which a leased secret would end: use a token that lives on',
    );
  }
  const holder = holderOf(bearer);
  const wish = { field: 'ttl', ttl: grant.ttl, period: 0, maxTtl: grant.maxTtl, explicitMaxTtl: 0, issued };
  const { ttl } = lifetime(wish, mount, issued);
  const end = holder.kind === 'batch' ? (holder.life.expires ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  const expires = Math.min(issued + ttl * 1_000, end);
  const renewable = grant.renewable && holder.kind !== 'batch';
  const lease = {
    origin: { mount: mount.uuid, path: path.endsWith('/') ? path.slice(0, -1) : path },
    mountPath: mount.path,
    ...{ holder, issued, expires, ttl, renewable, note },
    maxTtl: grant.maxTtl,
  };
  indexLease(tx, id, putLease(tx, id, lease, expires));
  await bindToken(tx, holder, bearer);
  return {
    id: mount.path + nameWithin(lease.origin, id),
    duration: secondsTo(expires, tx.now),
    renewable,
  };
}

/** Whole seconds that are left, a begun one counted. */
export const secondsTo = (expires: number, now: number): number => Math.max(0, Math.ceil((expires - now) / 1_000));

function holderOf(bearer: Bearer | undefined): Holder {
  if (bearer === undefined) return { kind: 'nobody' };
  const { key, record } = bearer;
  const { type, accessor, created, expires, origin, ancestors } = record;
  if (type === 'service') return { kind: 'token', token: { key, accessor } };
  const life = {
    created,
    ancestors,
    ...(expires === undefined ? {} : { expires }),
    ...(origin === undefined ? {} : { origin }),
  };
  return { kind: 'batch', life };
}

/** Says in the record of the token that there are leases to end with it: once in its life. */
async function bindToken(tx: SealedTransaction, holder: Holder, bearer: Bearer | undefined): Promise<void> {
  const token = tokenOf(holder);
  if (token === undefined) return;
  const record = holder.kind === 'token' ? bearer?.record : await readToken(tx, token.key);
  if (record?.accessor === token.accessor && !record.leased) putToken(tx, token.key, withLeases(tx, token.key, record));
}

const withLeases = (tx: SealedTransaction, key: string, record: TokenRecord): TokenRecord =>
  noteAgain(tx, key, { ...record, leased: true });
