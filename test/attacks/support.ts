import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Config, configOf } from '../../src/config.ts';
import type { Log } from '../../src/core/service.ts';
import { type RunningServer, startServer } from '../../src/server.ts';

/** For the tests of known attacks: a started server, and a client that sends paths and headers as they are. */

export const ROOT = 'root-of-the-attacks';

/** What came back. `json` is undefined where the body is no JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export interface Sent {
  /** A string or bytes go out as they are, anything else as JSON. */
  readonly body?: unknown;
  /** The root token where it is not named; `undefined` sends none. */
  readonly token?: string | undefined;
  readonly headers?: OutgoingHttpHeaders;
}

/** A member of an answer by the names that lead to it; undefined where there is none. */
export function at(json: unknown, ...names: readonly string[]): unknown {
  let value = json;
  for (const name of names) value = new Map<string, unknown>(Object.entries(value ?? {})).get(name);
  return value;
}

/** A client of one server; `path` is sent raw, behind `/v1/`. */
export class Client {
  readonly address: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  #policies = 0;

  constructor(address: string) {
    this.address = address;
  }

  send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    return this.target(method, `/v1/${path}`, sent);
  }

  /** As `send`, with the whole request target. */
  target(method: string, target: string, sent: Sent = {}): Promise<Answer> {
    const token = 'token' in sent ? sent.token : ROOT;
    const headers = { ...(token === undefined ? {} : { 'X-Service-Token': token }), ...sent.headers };
    const body = bytesOf(sent.body);
    const url = new URL(`http://${this.address}`);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: url.hostname, port: url.port, agent: this.#agent, method, path: target, headers },
        (incoming) => {
          const pieces: Buffer[] = [];
          incoming.on('data', (piece: Buffer) => pieces.push(piece));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(pieces).toString();
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) });
          });
        },
      );
      outgoing.on('error', reject);
      if (body !== undefined) outgoing.setHeader('Content-Length', body.length);
      outgoing.end(body);
    });
  }

  /** As `send`, and the status must be one of these. */
  async expect(statuses: number | readonly number[], method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const answer = await this.send(method, path, sent);
    const wanted = typeof statuses === 'number' ? [statuses] : statuses;
    assert.ok(
      wanted.includes(answer.status),
      `${method} ${path}: ${answer.status} instead of ${wanted}: ${answer.text}`,
    );
    return answer;
  }

  /** A token with just this policy. */
  async tokenWith(policy: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const name = `policy-${this.#policies++}`;
    await this.expect(204, 'POST', `sys/policies/acl/${name}`, { body: { policy } });
    return await this.token({ policies: [name], no_default_policy: true, ...more });
  }

  async token(body: Readonly<Record<string, unknown>>): Promise<string> {
    const token = at((await this.expect(200, 'POST', 'auth/token/create', { body })).json, 'auth', 'client_token');
    assert.ok(typeof token === 'string' && token !== '');
    return token;
  }

  /** Writes a KV secret with one member `value`. */
  async put(path: string, value: string): Promise<void> {
    await this.expect(200, 'POST', path, { body: { data: { value } } });
  }

  /** The member `value` of a KV secret as root sees it. */
  async value(path: string): Promise<unknown> {
    return at((await this.send('GET', path)).json, 'data', 'data', 'value');
  }

  close(): void {
    this.#agent.destroy();
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Target extends Client {
  readonly server: RunningServer;
  /** What the server logged, a line for each call, errors with their stack. */
  readonly logged: readonly string[];
}

/** A folder that is removed after the tests of the file. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-attack-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server of its own for a test file: initialised, open, `secret/` mounted, `ROOT` its root token. */
export async function startTarget(changes: Partial<Config> = {}): Promise<Target> {
  const logged: string[] = [];
  const note = (sentence: string, fields?: Readonly<Record<string, unknown>>): void => {
    const { error } = fields ?? {};
    logged.push(`${sentence} ${error instanceof Error ? error.stack : JSON.stringify(fields)}`);
  };
  const log: Log = { info: note, warn: note, error: note };
  const development = { dev: true, devRootTokenId: ROOT };
  const config = configOf({ ...development, data: scratchFolder(), listen: '127.0.0.1:0', ...changes });
  const server = await startServer(config, log);
  const client = new Client(server.address);
  after(async () => {
    client.close();
    await server.stop();
  });
  return Object.assign(client, { server, logged });
}
