import assert from 'node:assert/strict';
import { type Answer, at, type Client } from './support.ts';

/** For tests of races: all clients of one store, and what logs in over them. */

export const AT_ONCE = 64;

/** What is called in each race, so that one server can see all of them. */
let races = 0;
export const unique = (kind: string): string => `${kind}-${races++}`;

/** What logs in as a role. */
export interface Credentials {
  readonly role_id: string;
  readonly secret_id: string;
}

/** All clients of one store, each of a node or worker of its own, asked in turn. */
export class Party {
  readonly #clients: readonly Client[];
  readonly #root: string;
  #turn = 0;

  /** @param root a root token */
  constructor(clients: readonly Client[], root: string) {
    this.#clients = clients;
    this.#root = root;
  }

  send(method: string, path: string, body?: unknown, token = this.#root): Promise<Answer> {
    return this.#next().send(method, path, { token, ...(body === undefined ? {} : { body }) });
  }

  /** As root; the data of the answer. */
  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text, json } = await this.send(method, path, body);
    assert.ok(status === 200 || status === 204, `${method} ${path}: ${status} ${text}`);
    return at(json, 'data');
  }

  async list(path: string): Promise<readonly string[]> {
    return Array.from(Object(at((await this.send('LIST', path)).json, 'data', 'keys') ?? []), String);
  }

  /** The statuses of the same call of everybody. */
  everywhere(method: string, path: string, token: string): Promise<readonly number[]> {
    return Promise.all(this.#clients.map(async (client) => (await client.send(method, path, { token })).status));
  }

  /** The same call so many times at once. */
  atOnce<T>(call: (i: number) => Promise<T>, count = AT_ONCE): Promise<readonly T[]> {
    return Promise.all(Array.from({ length: count }, (_, i) => call(i)));
  }

  /** A fresh mount of approle; its path and accessor. */
  async method(): Promise<{ readonly path: string; readonly accessor: string }> {
    const name = unique('race');
    await this.ask('POST', `sys/auth/${name}`, { type: 'approle' });
    const accessor = String(at(await this.ask('GET', `sys/auth/${name}`), 'accessor'));
    return { path: `auth/${name}`, accessor };
  }

  async role(path: string, name: string, terms: object = {}, wishes: object = {}): Promise<Credentials> {
    await this.ask('POST', `${path}/role/${name}`, terms);
    const role_id = String(at(await this.ask('GET', `${path}/role/${name}/role-id`), 'role_id'));
    return {
      role_id,
      secret_id: String(at(await this.ask('POST', `${path}/role/${name}/secret-id`, wishes), 'secret_id')),
    };
  }

  logIn(path: string, credentials: Credentials): Promise<Answer> {
    return this.#next().send('POST', `${path}/login`, { token: undefined, body: credentials });
  }

  #next(): Client {
    return this.#clients[this.#turn++ % this.#clients.length] ?? assert.fail('there is a client');
  }
}

export const tokenOf = ({ json }: Answer): string => String(at(json, 'auth', 'client_token'));
export const entityOf = ({ json }: Answer): unknown => at(json, 'auth', 'entity_id');
export const statusOf = ({ status }: Answer): number => status;
