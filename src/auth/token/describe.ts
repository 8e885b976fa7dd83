import type { Data } from '../../framework/answer.ts';
import type { TokenRecord } from '../../tokens/token.ts';

/** A token as a look-up shows it; `id` is its value, or empty where that is not to be seen. Times by `now`, in ms. */
export function describeToken(id: string, record: TokenRecord, now: number): Data {
  const { metadata, expires } = record;
  return {
    accessor: record.accessor,
    creation_time: Math.floor(record.created / 1000),
    creation_ttl: record.ttl,
    display_name: record.displayName,
    entity_id: record.entityId,
    expire_time: expires === undefined ? null : new Date(expires).toISOString(),
    explicit_max_ttl: record.explicitMaxTtl,
    id,
    issue_time: new Date(record.created).toISOString(),
    meta: metadata.length === 0 ? null : Object.fromEntries(metadata),
    num_uses: record.numUses,
    orphan: record.ancestors.length === 0,
    path: record.path,
    ...(record.period > 0 ? { period: record.period } : {}),
    policies: record.policies,
    renewable: record.renewable,
    ttl: expires === undefined ? 0 : Math.max(0, Math.ceil((expires - now) / 1000)),
    type: 'service',
  };
}
