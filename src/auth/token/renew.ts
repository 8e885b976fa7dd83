import { authView } from '../../core/auth-view.ts';
import { rightsOf } from '../../core/principal.ts';
import { renewLogin } from '../../core/renewal.ts';
import type { Answer } from '../../framework/answer.ts';
import { badRequest, type ServiceError } from '../../framework/errors.ts';
import type { SystemWriteContext } from '../../sys/context.ts';
import type { Found } from '../../tokens/find.ts';
import { noteAgain } from '../../tokens/holding.ts';
import { type Lifetime, lifetime } from '../../tokens/lifetime.ts';
import { putToken } from '../../tokens/store.ts';
import type { TokenRecord } from '../../tokens/token.ts';
import { findRole } from './role.ts';

/** 400 of what cannot be renewed; clients match on the words. */
const notRenewable = (): ServiceError => badRequest('lease is not renewable: the token was made so, or never ends');

/**
 * Gives a token a new end, as its role, its user or itself says, within its maximum counted from its creation (known-attacks
 * B6). 400 where it is not renewable or its maximum is reached.
 * @param shown its value, or empty where that is not to be seen
 * @param increment seconds that are asked for; 0 for as long as the last time
 */
export async function renewToken(
  context: SystemWriteContext,
  { key, record }: Found,
  shown: string,
  increment: number,
): Promise<Answer> {
  const { tx, revision } = context;
  if (!record.renewable || record.expires === undefined) throw notRenewable();
  // The last use of a token has ended it already.
  if (context.bearer?.key === key && context.bearer.restricted && record.numUses === 0) throw notRenewable();
  const { ttl, expires, warnings } = await newLifetime(context, record, increment);
  const renewed: TokenRecord = { ...record, expires, renewed: tx.now, lastTtl: ttl };
  const noted = noteAgain(tx, key, renewed);
  putToken(tx, key, noted);
  const identityPolicies = (await rightsOf(tx, revision, noted))?.identityPolicies ?? [];
  const orphan = noted.ancestors.length === 0;
  return { auth: authView({ value: shown, record: noted, orphan, ttl, identityPolicies }), warnings };
}

async function newLifetime(context: SystemWriteContext, record: TokenRecord, increment: number): Promise<Lifetime> {
  const { tx, mount, revision } = context;
  const { explicitMaxTtl, created: issued } = record;
  if (record.login !== undefined) {
    const { terms, limits } = await renewLogin(context, record, record.login);
    const { period, maxTtl } = terms;
    return lifetime(
      { field: 'increment', ttl: increment || terms.ttl, period, maxTtl, explicitMaxTtl, issued },
      limits,
      tx.now,
    );
  }
  const origin = record.origin && revision.mounts.byUuid(record.origin.mount)?.mount;
  const wish = { field: 'increment', ttl: increment || (record.lastTtl ?? record.ttl), maxTtl: 0, issued };
  const { period, explicitMaxTtl: end } = await termsOf(context, record);
  return lifetime({ ...wish, period, explicitMaxTtl: end }, origin ?? mount, tx.now);
}

/** The token's own, or those of its role as they are now. */
async function termsOf(
  { tx }: SystemWriteContext,
  { role: name, period, explicitMaxTtl }: TokenRecord,
): Promise<{ readonly period: number; readonly explicitMaxTtl: number }> {
  if (name === undefined) return { period, explicitMaxTtl };
  const role = await findRole(tx, name);
  if (role === undefined) throw badRequest('lease is not renewable: the token role that made it is gone');
  return { period: narrower(period, role.period), explicitMaxTtl: narrower(explicitMaxTtl, role.explicitMaxTtl) };
}

/** A role that has changed makes the terms of its tokens narrower, never wider. */
const narrower = (own: number, ofRole: number): number =>
  own === 0 || ofRole === 0 ? own + ofRole : Math.min(own, ofRole);
