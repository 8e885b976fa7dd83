import { methods } from '../auth/index.ts';
import { Barrier, type Seal } from '../barrier/index.ts';
import { writeFirstState } from '../core/first-state.ts';
import { handle } from '../core/handle.ts';
import { type Log, Service } from '../core/service.ts';
import { cubbyhole } from '../engines/cubbyhole/index.ts';
import { noContent } from '../framework/answer.ts';
import { read, write } from '../framework/endpoint.ts';
import { type Engine, Engines, type Variant } from '../framework/engine.ts';
import { badRequest, notFound } from '../framework/errors.ts';
import { string } from '../framework/kinds/index.ts';
import { NO_TERMS } from '../framework/token-terms.ts';
import type { HttpReply } from '../http/message.ts';
import { type MemoryOptions, memoryStore } from '../storage/memory.ts';

/** For tests: a whole server in memory, without a socket. Every transaction runs twice. */

const boxes = {
  endpoints: [
    read(':path', { summary: 'Read', params: { path: string() } }, async ({ path }, { store }) => {
      const value = await store.get(path);
      if (value === undefined) throw notFound();
      return { data: { value: value.toString() } };
    }),
    write(':path', { summary: 'Write', params: { path: string(), value: string() } }, ({ path, value }, { store }) => {
      store.put(path, Buffer.from(value));
      return noContent;
    }),
  ],
};

/** A secrets engine with one option: `size`, `small` or absent. */
const box: Engine = {
  type: 'box',
  kind: 'secret',
  summary: 'Keeps texts',
  aliases: new Map([['small-box', new Map([['size', 'small']])]]),
  variant(options) {
    if (!['', 'small'].includes(options.get('size') ?? '')) throw badRequest('options.size: must be "small"');
    return boxes;
  },
};

/** Lets everybody in, under the policy `maker`, for ten minutes at a time. */
const terms = { ...NO_TERMS, policies: ['maker'], ttl: 600 };
const doors: Variant = {
  endpoints: [
    ...boxes.endpoints,
    write('login/:name', { summary: 'Log in', params: { name: string() }, access: 'none' }, ({ name }) => ({
      login: { alias: name, aliasMetadata: new Map(), displayName: name, metadata: new Map(), terms, renewal: name },
    })),
  ],
  renewLogin: () => terms,
};

const door: Engine = { type: 'door', kind: 'auth', summary: 'Lets in', variant: () => doors };

/** What an answer came to: `json` is undefined where the body is empty. */
export interface Answered {
  readonly status: number;
  readonly json: unknown;
  /** The body as it came. */
  readonly text: string;
}

/** A member of an answer by the names that lead to it; undefined where there is none. */
export function at(json: unknown, ...names: readonly string[]): unknown {
  let value = json;
  for (const name of names) value = new Map<string, unknown>(Object.entries(value ?? {})).get(name);
  return value;
}

export interface CallOptions {
  readonly token?: string | undefined;
  /** A text goes out as it is. */
  readonly body?: unknown;
  readonly peer?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class TestServer {
  readonly store: ReturnType<typeof memoryStore>;
  readonly service: Service;
  readonly logged: string[] = [];
  root = '';
  unsealKey = Buffer.alloc(0);

  constructor(options: MemoryOptions = {}, autoSeal?: Seal, setupToken?: string, engines: readonly Engine[] = []) {
    const note = (sentence: string): void => {
      this.logged.push(sentence);
    };
    const log: Log = { info: note, warn: note, error: note };
    this.store = memoryStore({ rehearse: true, ...options });
    const leases = { defaultTtl: 3_600, maxTtl: 7_200 };
    const settings = { version: '9.9.9', clusterName: 'test', leases, setupToken };
    this.service = new Service(
      new Barrier(this.store, { autoSeal }),
      new Engines([box, door, cubbyhole, ...methods, ...engines]),
      settings,
      log,
    );
  }

  /** An open server, with these engines besides. */
  static async open(options: MemoryOptions = {}, engines: readonly Engine[] = []): Promise<TestServer> {
    const server = new TestServer(options, undefined, undefined, engines);
    const { barrier } = server.service;
    const { keys, result } = await barrier.init({ shares: 1, threshold: 1 }, (tx) => writeFirstState(tx));
    server.root = result;
    server.unsealKey = Buffer.from(keys[0] ?? '');
    await barrier.submit(server.unsealKey);
    return server;
  }

  /** As root where no `token` is named; `token: undefined` sends none. `path` is relative to `/v1/`. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answered> {
    const token = 'token' in options ? options.token : this.root;
    const headers = new Map(Object.entries(options.headers ?? {}));
    if (token !== undefined) headers.set('x-service-token', token);
    const lines = (name: string): readonly string[] => {
      const value = headers.get(name);
      return value === undefined ? [] : [value];
    };
    const reply = await handle(this.service, {
      method,
      target: `/v1/${path}`,
      headers: { lines, get: (name) => lines(name)[0] },
      body: Buffer.from(typeof options.body === 'string' ? options.body : (JSON.stringify(options.body) ?? '')),
      peer: options.peer ?? '127.0.0.1',
      secure: false,
    });
    const text = await textOf(reply);
    return { status: reply.status, json: text === '' ? undefined : JSON.parse(text), text };
  }

  /** A token with just this policy. */
  async tokenWith(policy: string): Promise<string> {
    const name = `p-${this.#policies++}`;
    await this.call('POST', `sys/policies/acl/${name}`, { body: { policy } });
    const body = { policies: [name], no_default_policy: true };
    return String(at((await this.call('POST', 'auth/token/create', { body })).json, 'auth', 'client_token'));
  }

  #policies = 0;
}

/** A body as it came, in one piece or many. */
async function textOf({ body = '' }: HttpReply): Promise<string> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return String(body);
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

/** A server that was never initialized, with what `sys/init` answers to this body. */
export async function initialized(
  body: object = { secret_shares: 3, secret_threshold: 2 },
): Promise<Answered & { readonly server: TestServer; readonly keys: readonly string[] }> {
  const server = new TestServer();
  const answered = await server.call('PUT', 'sys/init', { token: undefined, body });
  return { ...answered, server, keys: Array.from(Object(at(answered.json, 'keys') ?? []), String) };
}
