import type { SealedTransaction } from '../barrier/index.ts';
import type { Data, Grant, Verbatim } from '../framework/answer.ts';
import { badRequest } from '../framework/errors.ts';
import type { Bearer } from './authenticate.ts';
import { holdAnswer } from './holding.ts';
import { putAccessor, putToken, tokenKey } from './store.ts';
import { type Ancestor, MAX_ANCESTORS, type TokenRecord, WRAPPING_POLICY } from './token.ts';
import { makeTokenValue } from './value.ts';

/**
 * Makes the token that an answer grants, and gives the `auth` member that shows it: the only time its value is seen.
 * A token that is no orphan dies with the caller's. 400: a chosen value that is taken; too many generations.
 */
export async function issueToken(tx: SealedTransaction, grant: Grant, parent: Bearer | undefined): Promise<Data> {
  const value = grant.id ?? makeTokenValue((bytes) => tx.random(bytes));
  const key = tokenKey(tx, value);
  if (grant.id !== undefined && (await tx.version(key)) !== undefined) {
    throw badRequest('id: a token of this value exists already: choose another or leave it out');
  }
  const record = newRecord(tx, grant, grant.orphan || parent === undefined ? [] : ancestorsOf(parent));
  putToken(tx, key, record);
  putAccessor(tx, key, record);
  return describeAuth(value, record);
}

const newRecord = (
  tx: SealedTransaction,
  grant: Omit<Grant, 'id' | 'orphan'>,
  ancestors: readonly Ancestor[],
): TokenRecord => ({
  accessor: makeAccessor(tx),
  policies: grant.policies,
  displayName: grant.displayName,
  path: grant.path,
  metadata: [...grant.metadata],
  created: tx.now,
  ...(grant.ttl > 0 ? { expires: tx.now + grant.ttl * 1000 } : {}),
  ttl: grant.ttl,
  explicitMaxTtl: grant.explicitMaxTtl,
  period: grant.period,
  renewable: grant.renewable,
  numUses: grant.numUses,
  ancestors,
  entityId: '',
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
): { readonly value: string; readonly record: TokenRecord } {
  const value = makeTokenValue((bytes) => tx.random(bytes));
  const key = tokenKey(tx, value);
  const bare = newRecord(
    tx,
    {
      ...{ policies: [WRAPPING_POLICY], displayName, path, metadata: new Map(), ttl, explicitMaxTtl: ttl },
      ...{ period: 0, renewable: false, numUses: 1 },
    },
    [],
  );
  const record: TokenRecord = { ...bare, holds: holdAnswer(tx, { key, ...bare }, answer, wrappedAccessor) };
  putToken(tx, key, record);
  putAccessor(tx, key, record);
  return { value, record };
}

function ancestorsOf({ key, record }: Bearer): readonly Ancestor[] {
  if (record.ancestors.length >= MAX_ANCESTORS - 1) {
    throw badRequest(`the token is of the ${MAX_ANCESTORS}th generation and creates none: create an orphan`);
  }
  return [{ key, accessor: record.accessor }, ...record.ancestors];
}

/** The accessor is a handle, not a secret: it names the token to those who may revoke or look it up. */
const makeAccessor = (tx: SealedTransaction): string => tx.random(18).toString('base64url');

/** The `auth` member of an answer (document 1, convention 3 and "Authentication"). */
function describeAuth(value: string, record: TokenRecord): Data {
  const { metadata } = record;
  return {
    client_token: value,
    accessor: record.accessor,
    policies: record.policies,
    token_policies: record.policies,
    metadata: metadata.length === 0 ? null : Object.fromEntries(metadata),
    lease_duration: record.ttl,
    renewable: record.renewable,
    entity_id: record.entityId,
    token_type: 'service',
    orphan: record.ancestors.length === 0,
    mfa_requirement: null,
    num_uses: record.numUses,
  };
}

/** The parentless token of a server's first start, or one that dev mode adds. */
export const rootGrant = (id: string | undefined): Grant => ({
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
  id,
});
