import type { SealedTransaction } from '../../barrier/index.ts';
import type { Engines } from '../../framework/engine.ts';
import { badRequest, type ServiceError } from '../../framework/errors.ts';
import { type Renewal, refuseRenewal, renewLease } from '../../leases/renew.ts';
import type { Revision } from '../state.ts';
import { askRenewal, mountOfLease } from './engine.ts';
import type { FoundLease } from './find.ts';

/** One sentence for all that is no lease of anybody's any more: unknown, expired or revoked (known-attacks B8). */
export const noSuchLease = (): ServiceError => badRequest('lease_id: there is no such lease');

/**
 * Renews a leased secret as its engine says. 400 for one that has ended or is not renewable, and for tokens, which are renewed
 * elsewhere.
 * @param increment seconds; 0 where none was given
 */
export async function renewFound(
  tx: SealedTransaction,
  engines: Engines,
  revision: Revision,
  found: FoundLease,
  increment: number,
): Promise<Renewal> {
  if (found.kind === 'token') {
    throw badRequest('lease_id: is that of a token: tokens are renewed through auth/token/renew');
  }
  const { id, lease } = found;
  const compiled = mountOfLease(revision, lease);
  if (compiled === undefined || lease.ended !== undefined) throw noSuchLease();
  refuseRenewal(lease);
  const said = await askRenewal(tx, engines, compiled, lease, increment);
  return renewLease(tx, id, lease, compiled.mount, increment, said);
}
