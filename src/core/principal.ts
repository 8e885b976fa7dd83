import type { SealedTransaction } from '../barrier/index.ts';
import { principalOf } from '../identity/principal.ts';
import type { AclView, Identity } from '../policies/index.ts';
import type { TokenRecord } from '../tokens/token.ts';
import type { Revision } from './state.ts';

/** What a token may do: by its own policies, and by those of the entity it speaks for and of that entity's groups. */
export interface Rights {
  readonly acl: AclView;
  /** Of the entity and its groups, sorted; empty where the token speaks for none. */
  readonly identityPolicies: readonly string[];
  readonly identity: Identity | undefined;
}

/**
 * The rights of a token that is alive, as policies, entity and groups are in this snapshot; undefined where its entity is
 * gone or disabled: then it opens nothing (4-open-points, "Identity and MFA").
 */
export async function rightsOf(
  tx: SealedTransaction,
  revision: Revision,
  { policies, entityId }: Pick<TokenRecord, 'policies' | 'entityId'>,
): Promise<Rights | undefined> {
  if (entityId === '') return { acl: await revision.acl(tx, policies), identityPolicies: [], identity: undefined };
  const principal = await principalOf(tx, entityId, revision.mounts);
  if (principal === undefined) return undefined;
  const { identity, policies: identityPolicies } = principal;
  const all = identityPolicies.length === 0 ? policies : joined(policies, identityPolicies);
  return { acl: await revision.acl(tx, all, identity), identityPolicies, identity };
}

/** The policies that a token has by its entity and that entity's groups, sorted. */
export const identityPoliciesOf = async (
  tx: SealedTransaction,
  revision: Revision,
  record: Pick<TokenRecord, 'policies' | 'entityId'>,
): Promise<readonly string[]> =>
  record.entityId === '' ? [] : ((await rightsOf(tx, revision, record))?.identityPolicies ?? []);

/** All names, sorted, each once. */
export const joined = (some: readonly string[], others: readonly string[]): readonly string[] =>
  [...new Set([...some, ...others])].sort();
