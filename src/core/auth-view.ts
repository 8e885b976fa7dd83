import type { Data } from '../framework/answer.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { joined } from './principal.ts';

/** A token as the `auth` member shows it. */
export interface Shown {
  /** Its value; empty where that is not to be seen. */
  readonly value: string;
  readonly record: TokenRecord;
  readonly orphan: boolean;
  /** Seconds from now. */
  readonly ttl: number;
  /** Of the entity and its groups. */
  readonly identityPolicies: readonly string[];
}

/** The `auth` member of an answer (document 1, convention 3 and "Authentication"). */
export function authView({ value, record, orphan, ttl, identityPolicies }: Shown): Data {
  const { metadata, policies } = record;
  return {
    client_token: value,
    accessor: record.accessor,
    policies: joined(policies, identityPolicies),
    token_policies: policies,
    ...(identityPolicies.length === 0 ? {} : { identity_policies: identityPolicies }),
    metadata: metadata.length === 0 ? null : Object.fromEntries(metadata),
    lease_duration: ttl,
    renewable: record.renewable,
    entity_id: record.entityId,
    token_type: record.type,
    orphan,
    mfa_requirement: null,
    num_uses: record.numUses,
  };
}
