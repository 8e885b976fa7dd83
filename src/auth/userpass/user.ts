import type { StoreReader, StoreWriter } from '../../framework/context.ts';
import type { Values } from '../../framework/endpoint.ts';
import type { Renewal } from '../../framework/engine.ts';
import { badRequest, ServiceError } from '../../framework/errors.ts';
import { describe } from '../../framework/kinds/index.ts';
import { foldedName } from '../../framework/name.ts';
import { joinOlder, type OlderName, olderParams, olderShown } from '../../framework/older-terms.ts';
import { decodeRecord, encodeRecord } from '../../framework/record.ts';
import { changeTerms, NO_TERMS, type TokenTerms, tokenParams } from '../../framework/token-terms.ts';
import type { PasswordHash } from './password.ts';

/** A user as it is stored, under its name in lower case. */
export interface User {
  readonly password: PasswordHash;
  readonly terms: TokenTerms;
  /** Older names of parameters that its owner used. */
  readonly older: readonly OlderName[];
}

/** The folder that users are listed from. */
export const USERS = 'user/';

export const username = describe(foldedName(), 'name of the user; in any letter case');

export async function findUser(store: Pick<StoreReader, 'get'>, name: string): Promise<User | undefined> {
  const record = await store.get(USERS + name);
  return record === undefined ? undefined : decodeRecord<User>(record);
}

/** A user whose part is to be changed; 404 where there is none. */
export async function knownUser(store: StoreReader, name: string): Promise<User> {
  const user = await findUser(store, name);
  if (user === undefined) throw new ServiceError(404, ['username: there is no such user']);
  return user;
}

export function putUser(store: StoreWriter, name: string, user: User): void {
  store.put(USERS + name, encodeRecord(user));
}

const { policies, ttl, max_ttl, bound_cidrs } = olderParams;

/** What can be said of the tokens of a user. */
export const userTerms = { ...tokenParams, policies, ttl, max_ttl, bound_cidrs };

/**
 * The user with what was given in its place. 400 for terms that do not go together, or where a new one has no password.
 * @param password the hash of the one that was given
 */
export function changeUser(
  user: User | undefined,
  given: Values<typeof userTerms>,
  password: PasswordHash | undefined,
): User {
  const kept = password ?? user?.password;
  if (kept === undefined) throw badRequest('password: is required for a new user');
  return {
    password: kept,
    terms: changeTerms(user?.terms ?? NO_TERMS, joinOlder(given, given)),
    older: olderShown(user?.older ?? [], given, given),
  };
}

/** The terms of a user as they are now. 400 where it is gone, or has other policies than the token was given. */
export async function renewedTerms(name: string, { store, policies }: Renewal): Promise<TokenTerms> {
  const user = await findUser(store, name);
  if (user === undefined) throw badRequest('the user of this token is no more: log in as another');
  if (textOf(user.terms.policies) !== textOf(policies)) {
    throw badRequest('the policies of the user have changed: log in again');
  }
  return user.terms;
}

/** Sorted names as one text, without the one that comes by itself. */
const textOf = (policies: readonly string[]): string => policies.filter((name) => name !== 'default').join('\n');
