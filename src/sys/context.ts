import type { SealedTransaction } from '../barrier/index.ts';
import type { Service } from '../core/service.ts';
import type { Revision } from '../core/state.ts';
import type { Context, WriteContext } from '../framework/context.ts';
import { verbs } from '../framework/endpoint.ts';
import type { AclView } from '../policies/index.ts';
import type { Bearer } from '../tokens/authenticate.ts';

/** What the handlers of the system, of tokens and of identity know besides: the whole store, not one mount's part. */
interface SystemExtras {
  readonly tx: SealedTransaction;
  readonly service: Service;
  readonly revision: Revision;
  /** What the caller may do; for nobody, nothing. */
  readonly acl: AclView;
  /** Of the entity that the caller's token speaks for, and of its groups. */
  readonly identityPolicies: readonly string[];
  /** The caller's token. */
  readonly bearer: Bearer | undefined;
  /** The token of the request as presented, whether anybody has looked at it or not. */
  readonly token: string | undefined;
  /** Something to do once the request has been committed, before it is answered. */
  after(effect: () => Promise<void>): void;
}

export type SystemContext = Context & SystemExtras;
export type SystemWriteContext = WriteContext & SystemExtras;

/** The words for endpoints of the system. */
export const { read, list, write, patch, remove } = verbs<SystemContext, SystemWriteContext>();
