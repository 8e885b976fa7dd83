import { Barrier } from '../barrier/index.ts';
import type { WriteContext } from '../framework/context.ts';
import type { Endpoint } from '../framework/endpoint.ts';
import { type Engine, Engines } from '../framework/engine.ts';
import type { Headers, HttpReply, HttpRequest } from '../http/message.ts';
import { memoryStore } from '../storage/memory.ts';
import { writeFirstState } from './first-state.ts';
import { handle } from './handle.ts';
import { Service } from './service.ts';

/** Header lines, names in lower case. */
export type Lines = readonly (readonly [string, string])[];

/** For tests: the header fields of these lines. */
export function headersOf(lines: Lines): Headers {
  const all = (name: string): readonly string[] => lines.flatMap(([given, value]) => (given === name ? [value] : []));
  return {
    lines: all,
    get(name) {
      const found = all(name);
      return found.length === 0 ? undefined : found.join(', ');
    },
  };
}

/** For tests: a request as the front hands it on. */
export const requestOf = (
  method: string,
  target: string,
  headers: Lines = [],
  body: string | Buffer = '',
): HttpRequest => ({
  method,
  target,
  headers: headersOf(headers),
  body: Buffer.from(body),
  peer: '192.0.2.1',
  secure: true,
});

export interface Asked {
  /** As root where none is named; undefined sends none. */
  readonly token?: string | undefined;
  readonly headers?: Lines;
  readonly body?: unknown;
}

export interface Told {
  readonly status: number;
  readonly headers: HttpReply['headers'];
  /** The JSON of the body; undefined where there is none. */
  readonly json: unknown;
}

/** For tests: a server in memory that serves these endpoints at `probe/`. Every transaction runs twice. */
export class ProbeServer {
  readonly service: Service;
  readonly logged: string[] = [];
  #root = '';
  #policies = 0;

  private constructor(endpoints: readonly Endpoint<WriteContext>[]) {
    const variant = { endpoints };
    const probe: Engine = { type: 'probe', kind: 'secret', summary: 'Tests requests', variant: () => variant };
    const note = (sentence: string, fields: object = {}): void => {
      const error = 'error' in fields ? `: ${fields.error}` : '';
      this.logged.push(`${sentence}${error}`);
    };
    this.service = new Service(
      new Barrier(memoryStore({ rehearse: true })),
      new Engines([probe]),
      { version: '0.0.0', clusterName: 'test', leases: { defaultTtl: 3_600, maxTtl: 7_200 } },
      { info: note, warn: note, error: note },
    );
  }

  static async open(endpoints: readonly Endpoint<WriteContext>[]): Promise<ProbeServer> {
    const server = new ProbeServer(endpoints);
    const { barrier } = server.service;
    const { keys, result } = await barrier.init({ shares: 1, threshold: 1 }, (tx) => writeFirstState(tx));
    server.#root = result;
    await barrier.submit(Buffer.from(keys[0] ?? ''));
    await server.ask('POST', 'sys/mounts/probe', { body: { type: 'probe' } });
    return server;
  }

  /** `path` is relative to `/v1/`. */
  async ask(method: string, path: string, asked: Asked = {}): Promise<Told> {
    const token = 'token' in asked ? asked.token : this.#root;
    const headers: Lines = [
      ...(token === undefined ? [] : [['x-service-token', token] as const]),
      ...(asked.headers ?? []),
    ];
    const body = asked.body === undefined ? '' : JSON.stringify(asked.body);
    const reply = await handle(this.service, requestOf(method, `/v1/${path}`, headers, body));
    let text = '';
    if (typeof reply.body === 'string') text = reply.body;
    else for await (const piece of reply.body ?? []) text += piece;
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: reply.status, headers: reply.headers, json };
  }

  /** The status alone. */
  async status(method: string, path: string, asked: Asked = {}): Promise<number> {
    return (await this.ask(method, path, asked)).status;
  }

  /** A token with just this policy, of this many uses; 0 is unlimited. */
  async tokenWith(policy: string, uses = 0): Promise<string> {
    const name = `p-${this.#policies++}`;
    await this.ask('POST', `sys/policies/acl/${name}`, { body: { policy } });
    const body = { policies: [name], no_default_policy: true, num_uses: uses };
    return String(member((await this.ask('POST', 'auth/token/create', { body })).json, 'auth', 'client_token'));
  }

  /** The uses that are left to a token; undefined where it is dead. */
  async usesOf(token: string): Promise<unknown> {
    return member((await this.ask('POST', 'auth/token/lookup', { body: { token } })).json, 'data', 'num_uses');
  }
}

/** A member of JSON by the names that lead to it; undefined where there is none. */
export function member(json: unknown, ...names: readonly string[]): unknown {
  let value = json;
  for (const name of names) value = new Map<string, unknown>(Object.entries(value ?? {})).get(name);
  return value;
}
