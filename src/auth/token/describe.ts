import type { SealedTransaction } from '../../barrier/index.ts';
import { rightsOf } from '../../core/principal.ts';
import type { Revision } from '../../core/state.ts';
import type { Data } from '../../framework/answer.ts';
import { isOrphan } from '../../tokens/store.ts';
import type { TokenRecord } from '../../tokens/token.ts';

/** Where a token is looked up. */
interface Place {
  readonly tx: SealedTransaction;
  readonly revision: Revision;
}

const iso = (millis: number): string => new Date(millis).toISOString();
const unix = (millis: number): number => Math.floor(millis / 1000);

/** A token as a look-up shows it; `id` is its value, or empty where that is not to be seen. */
export async function describeToken(id: string, record: TokenRecord, { tx, revision }: Place): Promise<Data> {
  const { metadata, expires, renewed } = record;
  const identityPolicies =
    record.entityId === '' ? [] : ((await rightsOf(tx, revision, record))?.identityPolicies ?? []);
  return {
    accessor: record.accessor,
    ...(record.boundCidrs === undefined ? {} : { bound_cidrs: record.boundCidrs }),
    creation_time: unix(record.created),
    creation_ttl: record.ttl,
    display_name: record.displayName,
    entity_id: record.entityId,
    expire_time: expires === undefined ? null : iso(expires),
    explicit_max_ttl: record.explicitMaxTtl,
    id,
    ...(identityPolicies.length === 0 ? {} : { identity_policies: identityPolicies }),
    issue_time: iso(record.created),
    ...(renewed === undefined ? {} : { last_renewal: iso(renewed), last_renewal_time: unix(renewed) }),
    meta: metadata.length === 0 ? null : Object.fromEntries(metadata),
    num_uses: record.numUses,
    orphan: record.ancestors.length === 0 || (await isOrphan(tx, record)),
    path: record.path,
    ...(record.period > 0 ? { period: record.period } : {}),
    policies: record.policies,
    renewable: record.renewable,
    ...(record.role === undefined ? {} : { role: record.role }),
    ttl: expires === undefined ? 0 : Math.max(0, Math.ceil((expires - tx.now) / 1000)),
    type: record.type,
  };
}
