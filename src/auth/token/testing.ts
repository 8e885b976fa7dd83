import assert from 'node:assert/strict';
import { Jobs } from '../../core/jobs.ts';
import type { MemoryOptions } from '../../storage/memory.ts';
import { type Answered, at, type CallOptions, TestServer } from '../../sys/testing.ts';

/** For tests: a server in memory with a clock that is set by hand, and words for what is done with tokens. */

/** Everything about tokens, with `sudo`. */
const MAKER = 'path "auth/token/*" { capabilities = ["create", "update", "read", "delete", "list", "sudo"] }';
/** The same without. */
const PLAIN = 'path "auth/token/*" { capabilities = ["create", "update", "read", "delete", "list"] }';

/** A token that was made. */
export interface Made {
  readonly token: string;
  readonly accessor: string;
  /** The `auth` member of the answer. */
  readonly auth: unknown;
  readonly warnings: unknown;
}

export class TokenServer {
  readonly server: TestServer;
  readonly #clock: { millis: number };

  private constructor(server: TestServer, clock: { millis: number }) {
    this.server = server;
    this.#clock = clock;
  }

  /** An open server with the policies `maker` and, without sudo, `plain`. */
  static async open(options: MemoryOptions = {}): Promise<TokenServer> {
    const clock = { millis: 1_000_000_000 };
    const server = await TestServer.open({ clock: () => clock.millis, ...options });
    for (const [name, policy] of Object.entries({ maker: MAKER, plain: PLAIN })) {
      await server.call('POST', `sys/policies/acl/${name}`, { body: { policy } });
    }
    return new TokenServer(server, clock);
  }

  get now(): number {
    return this.#clock.millis;
  }

  pass(seconds: number): void {
    this.#clock.millis += Math.round(seconds * 1_000);
  }

  /** `path` is relative to `auth/token/`; as root where no token is named. */
  call(path: string, body?: unknown, token = this.server.root, options: CallOptions = {}): Promise<Answered> {
    return this.server.call('POST', `auth/token/${path}`, { body, token, ...options });
  }

  async status(path: string, body?: unknown, token = this.server.root): Promise<number> {
    return (await this.call(path, body, token)).status;
  }

  /** Makes a token; it must succeed. */
  async make(body: object, token = this.server.root, path = 'create'): Promise<Made> {
    const { status, json, text } = await this.call(path, body, token);
    assert.equal(status, 200, text);
    const auth = at(json, 'auth');
    return {
      token: String(at(auth, 'client_token')),
      accessor: String(at(auth, 'accessor')),
      auth,
      warnings: at(json, 'warnings'),
    };
  }

  /** Makes a child of `parent` with its policies; of type `batch` where that is said. */
  async child(parent: string, more: object = {}): Promise<string> {
    return (await this.make(more, parent)).token;
  }

  /** Writes a token role; it must succeed. */
  async role(name: string, body: object): Promise<void> {
    const { status, text } = await this.call(`roles/${name}`, body);
    assert.equal(status, 204, text);
  }

  async lives(token: string, peer = '127.0.0.1'): Promise<boolean> {
    const { status } = await this.server.call('GET', 'auth/token/lookup-self', { token, peer });
    assert.ok(status === 200 || status === 403, String(status));
    return status === 200;
  }

  /** The `data` of its own look-up; undefined where it is dead. */
  async self(token: string): Promise<unknown> {
    return at((await this.server.call('GET', 'auth/token/lookup-self', { token })).json, 'data');
  }

  /** Lets a runner of jobs, of its own, do all that is due. */
  async settle(): Promise<void> {
    await new Jobs(this.server.service, { clock: () => this.now }).settle();
  }

  /** Names of the records in these folders. */
  stored(...folders: readonly string[]): readonly string[] {
    return [...this.server.store.contents().keys()].filter((key) => folders.some((folder) => key.startsWith(folder)));
  }
}
