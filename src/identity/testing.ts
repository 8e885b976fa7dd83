import { write } from '../framework/endpoint.ts';
import type { Engine } from '../framework/engine.ts';
import { describe, string, stringList, stringMap } from '../framework/kinds/index.ts';
import { NO_TERMS } from '../framework/token-terms.ts';
import { type Answered, at, TestServer } from '../sys/testing.ts';

/** For tests of identity: a server with an auth method that lets in whoever says who they are. */

const admit = write(
  'login/:name',
  {
    summary: 'Let in',
    access: 'none',
    params: {
      name: string(),
      alias: describe(string(''), 'in place of the name'),
      metadata: stringMap(new Map()),
      groups: stringList([]),
      policies: stringList([]),
    },
  },
  ({ name, alias, metadata, groups, policies }) => ({
    login: {
      ...{ alias: alias || name, aliasMetadata: metadata, groups, displayName: name, metadata: new Map() },
      ...{ terms: { ...NO_TERMS, policies, noDefaultPolicy: true }, renewal: name },
    },
  }),
);

const variant = { endpoints: [admit] };
const gate: Engine = { type: 'gate', kind: 'auth', summary: 'Lets everybody in', variant: () => variant };

/** Who has logged in. */
export interface Person {
  readonly token: string;
  readonly entityId: string;
  readonly identityPolicies: unknown;
}

export class IdentityServer {
  readonly server: TestServer;
  #names = 0;

  constructor(server: TestServer) {
    this.server = server;
  }

  static async open(): Promise<IdentityServer> {
    return new IdentityServer(await TestServer.open({}, [gate]));
  }

  /** `path` is relative to `identity/`. */
  async ask(method: string, path: string, body?: unknown): Promise<Answered & { readonly data: unknown }> {
    const answered = await this.server.call(method, `identity/${path}`, { body });
    return { ...answered, data: at(answered.json, 'data') };
  }

  /** The status alone, with the sentence of a refusal. */
  async told(method: string, path: string, body?: unknown): Promise<string> {
    const { status, json } = await this.ask(method, path, body);
    return `${status} ${[at(json, 'errors', '0')].flat().join()}`.trimEnd();
  }

  /** What is made by this write: its id. */
  async made(path: string, body: object = {}): Promise<string> {
    const { status, data, text } = await this.ask('POST', path, body);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return String(at(data, 'id'));
  }

  async read(path: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, data, text } = await this.ask('GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return Object(data);
  }

  /** Mounts the method anew; its path, and its accessor. */
  async gate(): Promise<{ readonly path: string; readonly accessor: string }> {
    const path = `gate-${this.#names++}`;
    await this.server.call('POST', `sys/auth/${path}`, { body: { type: 'gate' } });
    const { json } = await this.server.call('GET', 'sys/auth');
    return { path, accessor: String(at(json, 'data', `${path}/`, 'accessor')) };
  }

  attempt(path: string, name: string, said: object = {}): Promise<Answered> {
    return this.server.call('POST', `auth/${path}/login/${name}`, { token: undefined, body: said });
  }

  async login(path: string, name: string, said: object = {}): Promise<Person> {
    const { status, json, text } = await this.attempt(path, name, said);
    if (status !== 200) throw new Error(`login: ${status} ${text}`);
    const auth = at(json, 'auth');
    return {
      token: String(at(auth, 'client_token')),
      entityId: String(at(auth, 'entity_id')),
      identityPolicies: at(auth, 'identity_policies'),
    };
  }

  /** Whether a token opens anything: the status of a look at itself, which its policies need not permit. */
  async capabilities(token: string, path: string): Promise<unknown> {
    const { json } = await this.server.call('POST', 'sys/capabilities', { body: { token, paths: [path] } });
    return at(json, 'data', path);
  }

  policy(name: string, text: string): Promise<Answered> {
    return this.server.call('POST', `sys/policies/acl/${name}`, { body: { policy: text } });
  }
}
