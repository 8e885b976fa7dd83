import type { SealedTransaction } from '../barrier/index.ts';
import type { Answer } from '../framework/answer.ts';
import type { Caller, StoreWriter, WriteContext } from '../framework/context.ts';
import type { Anybody, Arrived } from '../framework/endpoint.ts';
import type { Match } from '../framework/router.ts';
import { leaseLives } from '../leases/alive.ts';
import type { Awaitable } from '../storage/store.ts';
import type { SystemWriteContext } from '../sys/context.ts';
import type { Bearer } from '../tokens/authenticate.ts';
import type { Authority } from './authorize.ts';
import type { Call } from './call.ts';
import { CUBBYHOLE, CubbyholeStore } from './cubbyhole.ts';
import { listFilter } from './list-filter.ts';
import { NO_HEADERS, passedHeaders } from './mount-headers.ts';
import { MountStore, mountMac } from './mount-store.ts';
import { parsePathParameters } from './parameters.ts';
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
}

/** An endpoint with its context: what is left are the values. */
export interface Bound {
  readonly run: (values: Arrived, prepared: unknown) => Awaitable<Answer>;
  /** Whether what is written exists; throws 400 where the path is none of the endpoint's kind. */
  readonly exists: (() => Promise<boolean>) | undefined;
  /** What the handler wants done once the request has been committed. */
  readonly effects: readonly (() => Promise<void>)[];
}

/** Gives an endpoint the context of its kind: an engine sees its mount and no more, the system the whole store. */
export function bind(route: Route, moment: Moment): Bound {
  const { tx, call, authority, service } = moment;
  const effects: (() => Promise<void>)[] = [];
  const after = (effect: () => Promise<void>): void => {
    effects.push(effect);
  };
  const context: Anybody<WriteContext> = {
    store: storeOf(route, moment, () => after(async () => service.jobs.wake())),
    mount: route.mount,
    now: tx.now,
    peer: call.request.peer,
    mac: mountMac(tx, route.mount.uuid),
    headers: route.kind === 'engine' ? passedHeaders(route, call.request.headers) : NO_HEADERS,
    caller: authority.bearer && callerOf(authority.bearer),
    random: (bytes) => tx.random(bytes),
    hold: (begin) => {
      if (begin !== undefined) after(begin);
      return tx.hold();
    },
    leaseLives: (id) => leaseLives(tx, moment.revision, route.mount.uuid, id),
    visible: listFilter(route, call, authority.acl),
  };
  if (route.kind === 'engine') return close(route.match, context, effects);
  const system: Anybody<SystemWriteContext> = {
    ...context,
    tx,
    service,
    revision: moment.revision,
    acl: authority.acl,
    identityPolicies: authority.identityPolicies,
    bearer: authority.bearer,
    token: call.token,
    after,
  };
  return close(route.match, system, effects);
}

/** What a mount's handlers see of the store; of the cubbyhole the caller's own part. */
function storeOf({ mount }: Route, { tx, authority }: Moment, onPurge: () => void): StoreWriter {
  if (mount.type !== CUBBYHOLE || authority.bearer === undefined) return new MountStore(tx, mount.uuid, onPurge);
  return new CubbyholeStore(tx, mount.uuid, authority.bearer);
}

function close<C>(
  { endpoint, captured }: Match<C>,
  context: Anybody<C>,
  effects: readonly (() => Promise<void>)[],
): Bound {
  const { exists } = endpoint;
  return {
    run: (values, prepared) => endpoint.run(values, { ...context, prepared }),
    exists: exists && (async () => exists(parsePathParameters(endpoint, captured), context)),
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
