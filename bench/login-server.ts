import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../src/config.ts';
import { handle } from '../src/core/handle.ts';
import { requestOf } from '../src/core/testing.ts';
import { startServer } from '../src/server.ts';
import { at } from '../test/faults/client.ts';

const ROOT = 'root-of-the-figures';

/** For figures of logins: a server on LMDB in this process, with the user `ada` of `auth/up/` and the role `app` of `auth/ar/`. */
export class LoginServer {
  readonly #data: string;
  readonly #server: Awaited<ReturnType<typeof startServer>>;
  readonly roleId = 'app';
  secretId = '';

  private constructor(data: string, server: Awaited<ReturnType<typeof startServer>>) {
    this.#data = data;
    this.#server = server;
  }

  /** @param threshold failures that lock out */
  static async start(threshold: number): Promise<LoginServer> {
    const data = mkdtempSync(join(tmpdir(), 'keyhold-logins-'));
    const silent = (): void => {};
    const log = { info: silent, warn: silent, error: silent };
    const config = configOf({ dev: true, devRootTokenId: ROOT, listen: '127.0.0.1:0', data });
    const server = new LoginServer(data, await startServer(config, log));
    const lockout = { user_lockout_config: { lockout_threshold: threshold } };
    await server.expect(204, 'POST', 'sys/auth/up', { type: 'userpass', config: lockout });
    await server.expect(204, 'POST', 'sys/auth/ar', { type: 'approle', config: lockout });
    await server.expect(204, 'POST', 'auth/up/users/ada', { password: 'right', token_policies: 'p' });
    await server.expect(204, 'POST', 'auth/ar/role/app', { role_id: server.roleId, token_policies: 'p' });
    const made = await server.expect(200, 'POST', 'auth/ar/role/app/secret-id', {});
    server.secretId = String(at(JSON.parse(made), 'data', 'secret_id'));
    return server;
  }

  /** The body of the answer, which must have this status. */
  async expect(status: number, method: string, path: string, body?: unknown): Promise<string> {
    const sent = body === undefined ? '' : JSON.stringify(body);
    const lines = path.includes('/login') ? [] : [['x-service-token', ROOT] as const];
    const reply = await handle(this.#server.service, requestOf(method, `/v1/${path}`, lines, sent));
    assert.equal(reply.status, status, `${method} ${path}: ${reply.body}`);
    return String(reply.body);
  }

  byPassword(status: number, name: string, password: string): Promise<string> {
    return this.expect(status, 'POST', `auth/up/login/${name}`, { password });
  }

  byRole(status: number, role_id: string, secret_id: string): Promise<string> {
    return this.expect(status, 'POST', 'auth/ar/login', { role_id, secret_id });
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#data, { recursive: true });
  }
}
