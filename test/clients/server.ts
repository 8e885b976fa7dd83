import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { configOf } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { startServer } from '../../src/server.ts';
import { at, FamilyClient, Refusal, type Secret, textAt } from './family.ts';

/** For tests: a server as production runs it, on a new folder, never initialised; it ends after the tests of the file. */
export async function startSealed(): Promise<FamilyClient> {
  const log = createLog({ level: 'error', format: 'json', write: (line) => console.error(line) });
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-clients-'));
  const server = await startServer(configOf({ data: folder, listen: '127.0.0.1:0' }), log);
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return new FamilyClient(server.url);
}

/** The same, open, with the root token; `kv/` is mounted as KV v2. */
export async function startOpen(): Promise<FamilyClient> {
  const nobody = await startSealed();
  const made = await nobody.write('sys/init', { secret_shares: 1, secret_threshold: 1 });
  const root = nobody.as(textAt(made?.json, 'root_token'));
  await root.write('sys/unseal', { key: Object(at(made?.json, 'keys'))[0] });
  await root.call('POST', 'sys/mounts/kv', { type: 'kv', options: { version: '2' } });
  return root;
}

/** A member of `data`. */
export const data = (secret: Secret | undefined, ...names: readonly string[]): unknown =>
  at(secret?.json, 'data', ...names);

/** What a call must reject with: this status, and a sentence with this part. */
export const refused =
  (status: number, part: string) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Refusal, String(error));
    assert.equal(error.status, status);
    assert.ok(error.message.includes(part), error.message);
    return true;
  };
