import { endBelow } from '../core/leases/end-below.ts';
import { endFound, type FoundLease, findLease, isShown } from '../core/leases/find.ts';
import { noSuchLease, renewFound } from '../core/leases/renew.ts';
import { settleLease } from '../core/leases/settle.ts';
import { type Answer, noContent } from '../framework/answer.ts';
import type { Values } from '../framework/endpoint.ts';
import { badRequest, unavailable } from '../framework/errors.ts';
import { bool, describe, string } from '../framework/kinds/index.ts';
import { seconds } from '../framework/token-terms.ts';
import type { SystemContext, SystemWriteContext } from './context.ts';

const leaseId = describe(string(''), 'name of the lease, as `lease_id` of the answer that gave it');

/** What may be said of a lease that is looked up. */
export const lookupParams = { lease_id: leaseId };

/** Of a lease that is renewed, by its name in the body or in the path. */
export const renewParams = {
  path: describe(string(''), 'name of the lease, where `lease_id` does not give it'),
  lease_id: leaseId,
  increment: describe(seconds, 'how long it is to live on from now; without it as long as the last time'),
};

/** Of a lease that is revoked. */
export const revokeParams = {
  path: renewParams.path,
  lease_id: leaseId,
  sync: describe(bool(true), 'whether to answer once the engine has taken back what it gave out'),
};

/** Of leases that are revoked together. */
export const prefixParams = { path: describe(string(), 'what stands before the names of the leases, up to a slash') };
export const prefixSyncParams = {
  ...prefixParams,
  sync: describe(bool(true), 'taken for the family: all has ended with the answer, and is removed behind it'),
};

const given = ({ lease_id, path }: { readonly lease_id: string; readonly path: string }): string => {
  const name = lease_id || path;
  if (name === '') throw badRequest('lease_id: is required');
  return name;
};

/** A lease that is alive, or of which something is still to be taken back. 400 for all others. */
export async function knownLease(context: SystemContext, name: string): Promise<FoundLease> {
  const { tx, revision } = context;
  if (name === '') throw badRequest('lease_id: is required');
  const found = await findLease(tx, revision, name);
  if (found === undefined || !(await isShown(tx, revision, found))) throw noSuchLease();
  return found;
}

/** Renews a leased secret. 400 for one that is not there any more, or not renewable, and for tokens. */
export async function renew(values: Values<typeof renewParams>, context: SystemWriteContext): Promise<Answer> {
  const { tx, revision, service } = context;
  const found = await knownLease(context, given(values));
  const { duration, warnings } = await renewFound(tx, service.engines, revision, found, values.increment);
  return { leased: { id: found.name, duration, renewable: true }, warnings };
}

/** Revokes one lease; an unknown one is no mistake (4-open-points, Tokens). 503 where its engine could not take it back yet. */
export async function revoke(values: Values<typeof revokeParams>, context: SystemWriteContext): Promise<Answer> {
  const { sync } = values;
  const found = await findLease(context.tx, context.revision, given(values));
  if (found !== undefined) end(found, context, sync, false);
  return sync ? noContent : IN_BACKGROUND;
}

const IN_BACKGROUND: Answer = { status: 202, warnings: ['what was given out is taken back in the background'] };

function end(found: FoundLease, { tx, service, after }: SystemWriteContext, sync: boolean, forget: boolean): void {
  endFound(tx, found);
  after(async () => {
    if (found.kind === 'secret' && sync && (await settleLease(service, found.id, { forget })) === 'failed') {
      throw unavailable(
        'lease_id: the lease has ended, but its engine could not take back what it gave out: it is tried again',
        1,
      );
    }
    service.jobs.wake();
  });
}

/** Revokes all that was given out below a path, or the one lease of that name. */
export async function revokeBelow(
  path: string,
  context: SystemWriteContext,
  { force, sync }: { readonly force: boolean; readonly sync: boolean },
): Promise<Answer> {
  const { tx, revision, service, after } = context;
  if (path === '') throw badRequest('path: give what stands before the names of the leases');
  const one = path.endsWith('/') ? undefined : await findLease(tx, revision, path);
  if (one !== undefined) end(one, context, sync, force);
  else await endBelow(tx, revision, path, force);
  after(async () => service.jobs.wake());
  return sync ? noContent : IN_BACKGROUND;
}
