import type { Data } from '../../framework/answer.ts';
import type { Schema } from '../../framework/kinds/index.ts';
import { secondsTo } from '../../leases/grant.ts';
import type { FoundLease } from './find.ts';

/** The members that show a lease. */
export const LEASE_SCHEMA: Readonly<Record<string, Schema>> = {
  id: { type: 'string' },
  path: { type: 'string' },
  issue_time: { type: 'string', format: 'date-time' },
  expire_time: { type: 'string', format: 'date-time', nullable: true },
  last_renewal: { type: 'string', format: 'date-time', nullable: true },
  renewable: { type: 'boolean' },
  ttl: { type: 'integer' },
  revoke_error: { type: 'string' },
};

/** A lease as a look-up shows it; times by `now`, in milliseconds since 1970. */
export function describeLease(found: FoundLease, now: number): Data {
  const { name } = found;
  const shown = found.kind === 'secret' ? ofSecret(found) : ofToken(found);
  const { issued, expires, renewed, renewable, error } = shown;
  return {
    id: name,
    path: name.slice(0, name.lastIndexOf('/')),
    issue_time: timestamp(issued),
    expire_time: expires === undefined ? null : timestamp(expires),
    last_renewal: renewed === undefined ? null : timestamp(renewed),
    renewable,
    ttl: expires === undefined ? 0 : secondsTo(expires, now),
    ...(error === undefined ? {} : { revoke_error: error }),
  };
}

interface Shown {
  readonly issued: number;
  readonly expires?: number | undefined;
  readonly renewed?: number | undefined;
  readonly renewable: boolean;
  readonly error?: string | undefined;
}

const ofSecret = ({ lease }: Extract<FoundLease, { kind: 'secret' }>): Shown =>
  // What is to be taken back still counts for nothing any more.
  lease.ended === undefined ? lease : { ...lease, expires: Math.min(lease.expires, lease.ended), renewable: false };

const ofToken = ({ record }: Extract<FoundLease, { kind: 'token' }>): Shown => ({ ...record, issued: record.created });

const timestamp = (millis: number): string => new Date(millis).toISOString();
