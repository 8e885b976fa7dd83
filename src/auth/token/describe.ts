import type { Data } from '../../framework/answer.ts';
import type { TokenRecord } from '../../tokens/token.ts';

/** Kept as long as the record is: writing a time costs more than all the rest of a look-up's answer. */
const written = new WeakMap<TokenRecord, { readonly issued: string; readonly expires: string | null }>();

function timesOf(record: TokenRecord): { readonly issued: string; readonly expires: string | null } {
  const known = written.get(record);
  if (known !== undefined) return known;
  const { created, expires } = record;
  const times = { issued: iso(created), expires: expires === undefined ? null : iso(expires) };
  written.set(record, times);
  return times;
}

const iso = (millis: number): string => new Date(millis).toISOString();
const unix = (millis: number): number => Math.floor(millis / 1000);

/**
 * A token as a look-up shows it.
 * @param id its value, or empty where that is not to be seen
 * @param identityPolicies those of its entity and that entity's groups
 * @param now milliseconds since 1970
 */
export function describeToken(id: string, record: TokenRecord, identityPolicies: readonly string[], now: number): Data {
  const { metadata, expires, renewed } = record;
  const times = timesOf(record);
  return {
    accessor: record.accessor,
    ...(record.boundCidrs === undefined ? {} : { bound_cidrs: record.boundCidrs }),
    creation_time: unix(record.created),
    creation_ttl: record.ttl,
    display_name: record.displayName,
    entity_id: record.entityId,
    expire_time: times.expires,
    explicit_max_ttl: record.explicitMaxTtl,
    id,
    ...(identityPolicies.length === 0 ? {} : { identity_policies: identityPolicies }),
    issue_time: times.issued,
    ...(renewed === undefined ? {} : { last_renewal: iso(renewed), last_renewal_time: unix(renewed) }),
    meta: metadata.length === 0 ? null : Object.fromEntries(metadata),
    num_uses: record.numUses,
    orphan: record.ancestors.length === 0,
    path: record.path,
    ...(record.period > 0 ? { period: record.period } : {}),
    policies: record.policies,
    renewable: record.renewable,
    ...(record.role === undefined ? {} : { role: record.role }),
    ttl: expires === undefined ? 0 : Math.max(0, Math.ceil((expires - now) / 1000)),
    type: record.type,
  };
}
