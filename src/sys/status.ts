import type { Service } from '../core/service.ts';
import type { Data } from '../framework/answer.ts';
import type { Arrived, Params, Values, Verb } from '../framework/endpoint.ts';
import type { Schema } from '../framework/kinds/index.ts';
import type { Awaitable } from '../storage/store.ts';

/** What an endpoint knows that answers without a transaction, also while the server is sealed. */
export interface StatusContext {
  readonly service: Service;
  /** The client's address, canonical. */
  readonly peer: string;
  /** As presented; nobody has looked at it. */
  readonly token: string | undefined;
}

/** An answer without an envelope. */
export interface StatusAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly data: Data;
}

/** An endpoint outside the transaction: it takes no token, and it answers while the server is sealed. */
export interface StatusEndpoint {
  readonly verb: Verb;
  readonly path: string;
  readonly summary: string;
  readonly params: Params;
  readonly answer: Readonly<Record<string, Schema>>;
  readonly run: (values: Arrived, context: StatusContext) => Awaitable<StatusAnswer>;
}

interface StatusSpec<P extends Params> {
  readonly summary: string;
  readonly params: P;
  readonly answer: Readonly<Record<string, Schema>>;
}

/** Declares an endpoint that answers without a transaction: init, unseal, and what tells the state of the server. */
export function status<P extends Params>(
  verb: Verb,
  path: string,
  spec: StatusSpec<P>,
  handler: (values: Values<P>, context: StatusContext) => Awaitable<StatusAnswer>,
): StatusEndpoint {
  // The values are made by these very params.
  return { ...spec, verb, path, run: (values, context) => handler(values as Values<P>, context) };
}
