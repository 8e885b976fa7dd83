import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import type { TokenTerms } from '../framework/token-terms.ts';
import type { LifetimeLimits } from '../tokens/lifetime.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { MountStore } from './mount-store.ts';
import type { Service } from './service.ts';
import type { Revision } from './state.ts';

/** Where a renewal goes on. */
interface Place {
  readonly tx: SealedTransaction;
  readonly service: Service;
  readonly revision: Revision;
  /** The client's address, canonical. */
  readonly peer: string;
}

/**
 * Asks the auth method of a login for its terms as they are now, and its mount for the limits. 400 where the method does not
 * renew: the user or role is gone, or would not be let in like this any more.
 */
export async function renewLogin(
  { tx, service, revision, peer }: Place,
  { origin, policies }: TokenRecord,
  login: string,
): Promise<{ readonly terms: TokenTerms; readonly limits: LifetimeLimits }> {
  const located = origin && revision.mounts.byUuid(origin.mount);
  if (located === undefined) throw new Error('a token that is alive has the mount it came from');
  const { entry, mount } = located;
  const { renewLogin } = service.engines.variant(entry.kind, entry.type, mount.options);
  if (renewLogin === undefined) throw badRequest('lease is not renewable: this auth method renews no tokens');
  const store = new MountStore(tx, mount.uuid, () => {});
  return { terms: await renewLogin(login, { store, mount, now: tx.now, peer, policies }), limits: mount };
}
