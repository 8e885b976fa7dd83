import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest, type ServiceError } from '../framework/errors.ts';
import { type AclView, NO_ACL } from '../policies/index.ts';
import { type Found, findByAccessor, findToken } from '../tokens/find.ts';
import { rightsOf } from './principal.ts';
import type { Revision } from './state.ts';

/** What another token may do, found by its value. 400 where it is not alive; nothing where its entity is disabled. */
export const aclOfToken = async (tx: SealedTransaction, revision: Revision, value: string): Promise<AclView> =>
  aclOf(tx, revision, await findToken(tx, revision, value), () => badRequest('token: is not valid'));

/** The same, found by its accessor. */
export const aclOfAccessor = async (tx: SealedTransaction, revision: Revision, accessor: string): Promise<AclView> =>
  aclOf(tx, revision, await findByAccessor(tx, revision, accessor), () => badRequest('accessor: is not valid'));

async function aclOf(
  tx: SealedTransaction,
  revision: Revision,
  found: Found | undefined,
  refusal: () => ServiceError,
): Promise<AclView> {
  if (found === undefined) throw refusal();
  return (await rightsOf(tx, revision, found.record))?.acl ?? NO_ACL;
}
