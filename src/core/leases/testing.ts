import assert from 'node:assert/strict';
import { noContent } from '../../framework/answer.ts';
import { read, remove, write } from '../../framework/endpoint.ts';
import type { Engine } from '../../framework/engine.ts';
import { badRequest, notFound } from '../../framework/errors.ts';
import { bool, int, string } from '../../framework/kinds/index.ts';
import { NO_TERMS } from '../../framework/token-terms.ts';
import type { MemoryOptions } from '../../storage/memory.ts';
import { type Answered, at, type CallOptions, TestServer } from '../../sys/testing.ts';
import { Jobs } from '../jobs.ts';

/**
 * For tests: an engine that lends. What it lends lies under `lent/`; told to fail it spoils that first and then throws, so that
 * it shows whether a failure leaves anything behind.
 */
const lending = {
  endpoints: [
    write(
      'creds/:path',
      {
        summary: 'Lend',
        params: { path: string(), ttl: int(0), max_ttl: int(0), renewable: bool(true), grant: bool(false) },
      },
      ({ ttl, max_ttl, renewable }, { store, random }) => {
        const id = random(16).toString('base64url');
        store.put(`lent/${id}`, Buffer.from('lent'));
        return { data: { id }, lease: { id, ttl, maxTtl: max_ttl, renewable, note: id } };
      },
    ),
    read('lent/:id', { summary: 'Look at what was lent', params: { id: string() } }, async ({ id }, context) => {
      const found = await context.store.get(`lent/${id}`);
      if (found === undefined) throw notFound();
      return { data: { text: found.toString(), lives: await context.leaseLives(id) } };
    }),
    write('failing', { summary: 'Fail', params: { how: string() } }, ({ how }, { store }) => {
      store.put('failing', Buffer.from(how));
      return noContent;
    }),
    remove('failing', { summary: 'Fail no more', params: {} }, (_, { store }) => {
      store.delete('failing');
      return noContent;
    }),
    write('terms', { summary: 'Say what renewals get', params: { ttl: int(), max_ttl: int() } }, (terms, { store }) => {
      store.put('terms', Buffer.from(`${terms.ttl} ${terms.max_ttl}`));
      return noContent;
    }),
  ],
  leases: {
    async revoke(
      note: string,
      { store }: Parameters<NonNullable<ReturnType<Engine['variant']>['leases']>['revoke']>[1],
    ) {
      const failing = (await store.get('failing'))?.toString();
      if (failing !== undefined) {
        store.put(`lent/${note}`, Buffer.from('spoiled'));
        if (failing === 'refuse') throw badRequest('the borrower does not answer');
        throw new Error(`the password of the borrower is ${failing}`);
      }
      store.delete(`lent/${note}`);
    },
    async renew(_: string, increment: number, { store }: { readonly store: { get(key: string): unknown } }) {
      const terms = await store.get('terms');
      const [ttl = 0, maxTtl = 0] = terms instanceof Buffer ? terms.toString().split(' ').map(Number) : [];
      if (increment === 13) throw badRequest('increment: thirteen brings no luck');
      return { ttl, maxTtl };
    },
  },
};

export const lender: Engine = { type: 'lender', kind: 'secret', summary: 'Lends', variant: () => lending };

/** For tests: an auth method that lets everybody in. */
const opening = {
  endpoints: [
    write(
      'login/:path',
      { summary: 'Log in', params: { path: string(), type: string('service') }, access: 'none' },
      ({ path, type }) => ({
        login: {
          ...{ alias: path, aliasMetadata: new Map(), displayName: path, metadata: new Map(), renewal: path },
          terms: { ...NO_TERMS, policies: ['borrower'], type: type === 'batch' ? 'batch' : 'service' },
        },
      }),
    ),
  ],
};

export const gate: Engine = { type: 'gate', kind: 'auth', summary: 'Opens', variant: () => opening };

/** What borrowers may do. */
const BORROWER = `path "lend/*" { capabilities = ["create", "read", "update"] }
path "sys/leases/*" { capabilities = ["update", "create"] }
path "auth/token/*" { capabilities = ["update", "create", "sudo"] }`;

export interface Lent {
  /** The name of the lease. */
  readonly name: string;
  readonly id: string;
  readonly duration: unknown;
  readonly renewable: unknown;
}

/** For tests: a server in memory with a clock that is set by hand, a lender at `lend/` and a gate at `auth/gate/`. */
export class LeaseServer {
  readonly server: TestServer;
  readonly runner: Jobs;
  readonly #clock: { millis: number };

  private constructor(server: TestServer, clock: { millis: number }) {
    this.server = server;
    this.#clock = clock;
    this.runner = new Jobs(server.service, { clock: () => this.now });
  }

  static async open(options: MemoryOptions = {}): Promise<LeaseServer> {
    const clock = { millis: Date.parse('2026-01-02T03:04:05Z') };
    const server = await TestServer.open({ clock: () => clock.millis, ...options }, [lender, gate]);
    await server.call('POST', 'sys/mounts/lend', { body: { type: 'lender' } });
    await server.call('POST', 'sys/auth/gate', { body: { type: 'gate' } });
    await server.call('POST', 'sys/policies/acl/borrower', { body: { policy: BORROWER } });
    return new LeaseServer(server, clock);
  }

  get now(): number {
    return this.#clock.millis;
  }

  pass(seconds: number): void {
    this.#clock.millis += Math.round(seconds * 1_000);
  }

  /** `path` is relative to `sys/leases/`; as root where no token is named. */
  call(path: string, body?: unknown, options: CallOptions = {}): Promise<Answered> {
    return this.server.call('POST', `sys/leases/${path}`, { body, ...options });
  }

  /** Borrows; it must succeed. */
  async lend(more: object = {}, token = this.server.root, path = 'lend/creds/r'): Promise<Lent> {
    const { status, json, text } = await this.server.call('POST', path, { body: more, token });
    assert.equal(status, 200, text);
    const id = String(at(json, 'data', 'id'));
    return {
      name: String(at(json, 'lease_id')),
      id,
      duration: at(json, 'lease_duration'),
      renewable: at(json, 'renewable'),
    };
  }

  /** Logs in; it must succeed. */
  async login(name: string, type = 'service'): Promise<string> {
    const { json, text } = await this.server.call('POST', `auth/gate/login/${name}`, {
      token: undefined,
      body: { type },
    });
    assert.equal(typeof at(json, 'auth', 'client_token'), 'string', text);
    return String(at(json, 'auth', 'client_token'));
  }

  /** What the engine sees of what it lent: `lives`, `dead`, or `gone`; `spoiled` where a failure left something behind. */
  async sees({ id }: Lent, mount = 'lend'): Promise<string> {
    const { status, json } = await this.server.call('GET', `${mount}/lent/${id}`);
    if (status === 404) return 'gone';
    if (at(json, 'data', 'text') === 'spoiled') return 'spoiled';
    return at(json, 'data', 'lives') === true ? 'lives' : 'dead';
  }

  async known(name: string): Promise<boolean> {
    const { status } = await this.call('lookup', { lease_id: name });
    assert.ok(status === 200 || status === 400, String(status));
    return status === 200;
  }

  async lives(token: string): Promise<boolean> {
    return (await this.server.call('POST', 'auth/token/lookup', { body: { token } })).status === 200;
  }

  /** Lets the runner of jobs do all that is due. */
  async settle(): Promise<void> {
    await this.runner.settle();
  }

  /** Names of the records in these folders. */
  stored(...folders: readonly string[]): readonly string[] {
    return [...this.server.store.contents().keys()].filter((key) => folders.some((folder) => key.startsWith(folder)));
  }

  /** What is left to do of revocations: what has ended below paths, and stored jobs. */
  async pending(): Promise<readonly unknown[]> {
    const { barrier, state } = this.server.service;
    const { cuts } = await barrier.transact((tx) => state.current(tx));
    return [...cuts.all, ...this.stored('job/')];
  }

  /** Of all that there is of leases. */
  leases(): readonly string[] {
    return this.stored('lease/', 'lease-by/', 'lease-failed/', 'due/', 'lease-of/').filter(
      // Of tokens: their own leases, and the notes of those that never end.
      (key) => !/\/h[^/]{56}$|\/9{14}-/.test(key),
    );
  }
}
