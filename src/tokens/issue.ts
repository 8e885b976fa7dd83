import type { SealedTransaction } from '../barrier/index.ts';
import type { Grant, Verbatim } from '../framework/answer.ts';
import { badRequest } from '../framework/errors.ts';
import { WRAPPING_POLICY } from '../framework/policy-name.ts';
import { accessorId, makeAccessor, putAccessor } from './accessor.ts';
import { sealBatch } from './batch.ts';
import { holdAnswer, noteAgain } from './holding.ts';
import { putTokenLease } from './lease.ts';
import { putToken, tokenKey } from './store.ts';
import { type Ancestor, MAX_ANCESTORS, type Origin, type TokenRecord } from './token.ts';
import { makeTokenValue } from './value.ts';

/** What a token is to be, besides what its grant says. */
export interface Birth {
  readonly origin: Origin | undefined;
  /** Empty for none. */
  readonly entityId: string;
  /** The caller's token where the new one is to die with it. */
  readonly parent: { readonly key: string; readonly record: TokenRecord } | undefined;
  /** What the auth method is given to renew it; absent for what is no login. */
  readonly login?: string;
  /** Milliseconds since 1970: the transaction's time, or just after what ended all tokens of the moment. */
  readonly created: number;
}

/** A new token: the only time its value is seen. */
export interface Issued {
  readonly value: string;
  readonly record: TokenRecord;
}

/**
 * Makes the token that an answer grants. 400: a chosen value that is taken; too many generations; a batch token that is
 * too long.
 */
export async function issueToken(tx: SealedTransaction, grant: Grant, birth: Birth): Promise<Issued> {
  const { parent } = birth;
  if (grant.type === 'batch') return issueBatch(tx, grant, birth);
  const value = grant.id ?? makeTokenValue((bytes) => tx.random(bytes));
  const key = tokenKey(tx, value);
  if (grant.id !== undefined && (await tx.version(key)) !== undefined) {
    throw badRequest('id: a token of this value exists already: choose another or leave it out');
  }
  const record = newRecord(makeAccessor(tx), grant, birth, parent === undefined ? [] : ancestorsOf(parent));
  return { value, record: store(tx, key, record) };
}

function issueBatch(tx: SealedTransaction, grant: Grant, birth: Birth): Issued {
  const { parent } = birth;
  const ancestors = parent === undefined ? [] : ancestorsOf(parent).slice(0, 1);
  const record = newRecord('', grant, birth, ancestors);
  return { value: sealBatch(tx, record), record };
}

function store(tx: SealedTransaction, key: string, bare: TokenRecord): TokenRecord {
  const record = noteAgain(tx, key, bare);
  putToken(tx, key, record);
  const id = accessorId(tx, record.accessor);
  putAccessor(tx, key, record, id);
  putTokenLease(tx, record, id);
  return record;
}

const newRecord = (
  accessor: string,
  grant: Grant,
  { origin, entityId, login, created }: Birth,
  ancestors: readonly Ancestor[],
): TokenRecord => ({
  accessor,
  type: grant.type,
  policies: grant.policies,
  displayName: grant.displayName,
  path: grant.path,
  ...(origin === undefined ? {} : { origin }),
  metadata: [...grant.metadata],
  created,
  ...(grant.ttl > 0 ? { expires: created + grant.ttl * 1000 } : {}),
  ttl: grant.ttl,
  explicitMaxTtl: grant.explicitMaxTtl,
  period: grant.period,
  renewable: grant.renewable,
  numUses: grant.numUses,
  ancestors,
  entityId,
  ...(grant.boundCidrs.length > 0 ? { boundCidrs: grant.boundCidrs } : {}),
  ...(grant.role === undefined ? {} : { role: grant.role }),
  ...(login === undefined ? {} : { login }),
});

/** What a wrapping token is to be. */
export interface WrapTerms {
  /** Seconds, more than none. */
  readonly ttl: number;
  /** Of the request whose answer is wrapped. */
  readonly path: string;
  /** Of who made that request. */
  readonly displayName: string;
  /** Of the token that the answer carries. */
  readonly wrappedAccessor: string | undefined;
}

/** Makes the wrapping token of an answer: of one use, and no token's child, so that it outlives who asked for it. */
export function issueWrapping(
  tx: SealedTransaction,
  answer: Verbatim,
  { ttl, path, displayName, wrappedAccessor }: WrapTerms,
): Issued {
  const value = makeTokenValue((bytes) => tx.random(bytes));
  const key = tokenKey(tx, value);
  const grant: Grant = {
    ...rootGrant(undefined),
    ...{ policies: [WRAPPING_POLICY], displayName, path, ttl, explicitMaxTtl: ttl, numUses: 1 },
  };
  const birth: Birth = { origin: undefined, entityId: '', parent: undefined, created: tx.now };
  const record: TokenRecord = {
    ...newRecord(makeAccessor(tx), grant, birth, []),
    holds: holdAnswer(tx, key, answer, wrappedAccessor),
  };
  return { value, record: store(tx, key, record) };
}

function ancestorsOf({ key, record }: NonNullable<Birth['parent']>): readonly Ancestor[] {
  if (record.ancestors.length >= MAX_ANCESTORS - 1) {
    throw badRequest(`the token is of the ${MAX_ANCESTORS}th generation and creates none: create an orphan`);
  }
  return [{ key, accessor: record.accessor }, ...record.ancestors];
}

/** The parentless token of a server's first start, or one that dev mode adds. */
export const rootGrant = (id: string | undefined): Grant => ({
  type: 'service',
  policies: ['root'],
  displayName: 'root',
  path: 'auth/token/root',
  metadata: new Map(),
  ttl: 0,
  explicitMaxTtl: 0,
  period: 0,
  renewable: false,
  numUses: 0,
  orphan: true,
  boundCidrs: [],
  id,
});
