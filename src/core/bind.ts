import type { SealedTransaction } from '../barrier/index.ts';
import type { Answer } from '../framework/answer.ts';
import type { Caller, WriteContext } from '../framework/context.ts';
import type { Anybody, Arrived, Endpoint, Prepared } from '../framework/endpoint.ts';
import type { Awaitable } from '../storage/store.ts';
import type { SystemWriteContext } from '../sys/context.ts';
import type { Bearer } from '../tokens/authenticate.ts';
import type { Authority } from './authorize.ts';
import type { Call } from './call.ts';
import { MountStore } from './mount-store.ts';
import type { Route } from './route.ts';
import type { Service } from './service.ts';
import type { Revision } from './state.ts';

/** What a request is at the moment its endpoint is called. */
export interface Moment {
  readonly service: Service;
  readonly tx: SealedTransaction;
  readonly revision: Revision;
  readonly call: Call;
  readonly authority: Authority;
  readonly prepared: unknown;
}

/** An endpoint with its context: what is left are the values. */
export interface Bound {
  readonly run: (values: Arrived) => Awaitable<Answer>;
  readonly exists: ((values: Arrived) => Promise<boolean>) | undefined;
  /** What the handler wants done once the request has been committed. */
  readonly effects: readonly (() => Promise<void>)[];
}

/** Gives an endpoint the context of its kind: an engine sees its mount and no more, the system the whole store. */
export function bind(route: Route, moment: Moment): Bound {
  const { tx, call, authority } = moment;
  const context: Anybody<WriteContext> = {
    store: new MountStore(tx, route.mount.uuid),
    mount: route.mount,
    now: tx.now,
    peer: call.request.peer,
    caller: authority.bearer && callerOf(authority.bearer),
    random: (bytes) => tx.random(bytes),
  };
  if (route.kind === 'engine') return close(route.match.endpoint, context, moment.prepared, []);
  const effects: (() => Promise<void>)[] = [];
  const system: Anybody<SystemWriteContext> = {
    ...context,
    tx,
    service: moment.service,
    revision: moment.revision,
    acl: authority.acl,
    bearer: authority.bearer,
    after: (effect) => {
      effects.push(effect);
    },
  };
  return close(route.match.endpoint, system, moment.prepared, effects);
}

function close<C>(
  endpoint: Endpoint<C>,
  context: Anybody<C>,
  prepared: unknown,
  effects: readonly (() => Promise<void>)[],
): Bound {
  const { exists } = endpoint;
  const full: Anybody<C> & Prepared<unknown> = { ...context, prepared };
  return {
    run: (values) => endpoint.run(values, full),
    exists: exists && (async (values) => exists(values, context)),
    effects,
  };
}

const callerOf = ({ record }: Bearer): Caller => ({
  displayName: record.displayName,
  accessor: record.accessor,
  policies: record.policies,
  entityId: record.entityId,
  root: record.policies.includes('root'),
});
