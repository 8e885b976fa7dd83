// Every endpoint with odd paths, queries, headers and bodies: a mistake of the caller is a 4xx, never a 500, a crash, or a
// sentence that repeats what was sent. FUZZ_SEED repeats a run, FUZZ_SECONDS lengthens it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { methods } from '../../src/auth/index.ts';
import { at, ROOT, startTarget } from '../attacks/support.ts';
import { CANARY, type Tried, tried } from './requests.ts';

const { FUZZ_SEED, FUZZ_SECONDS } = process.env;
const seed = Number(FUZZ_SEED ?? Date.now() % 1_000_000_007);
const seconds = Number(FUZZ_SECONDS ?? 3);

test(`no request makes the server fail or repeat what it was sent (FUZZ_SEED=${seed})`, async (context) => {
  const target = await startTarget();
  for (const { type } of methods) await target.expect(204, 'POST', `sys/auth/${type}`, { body: { type } });
  const statuses = new Map<number, number>();
  let batches = 0;
  const ids = new Map<string, string>();
  const { json } = await target.expect(200, 'GET', 'sys/auth');
  ids.set('ACCESSOR-ID', String(at(json, 'data', 'approle/', 'accessor')));
  /** Others than before, which may be gone. */
  const renewIds = async (): Promise<void> => {
    for (const [kind, folder] of [
      ['ENTITY-ID', 'entity'],
      ['OTHER-ENTITY-ID', 'entity'],
      ['GROUP-ID', 'group'],
      ['OTHER-GROUP-ID', 'group'],
    ] as const) {
      const made = await target.expect(200, 'POST', `identity/${folder}`, { body: {} });
      ids.set(kind, String(at(made.json, 'data', 'id')));
    }
    await target.expect([200, 204], 'POST', 'auth/approle/role/a', { body: { bind_secret_id: true } });
    const role = await target.expect(200, 'GET', 'auth/approle/role/a/role-id');
    ids.set('ROLE-ID', String(at(role.json, 'data', 'role_id')));
  };
  const filled = (text: string, spell: (id: string) => string): string =>
    text.replace(/\b(?:\w+-)+ID\b/g, (name) => spell(ids.get(name) ?? name));
  const check = async (tried: Tried): Promise<void> => {
    const { method, type, header, token } = tried;
    const path = filled(tried.path, encodeURIComponent);
    const body = filled(tried.body, (id) => JSON.stringify(id).slice(1, -1));
    const { text, status } = await target.send(method, path, {
      token: path.startsWith('auth/token/revoke-self') && token === ROOT ? await target.token({}) : token,
      ...(/^(GET|HEAD|LIST|SCAN|DELETE|OPTIONS|TRACE)$/.test(method) ? {} : { body }),
      headers: {
        ...(type === '' ? {} : { 'Content-Type': type }),
        ...(header === undefined ? {} : { [header[0]]: header[1] }),
      },
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // Whoever asks sys/health for a status gets it.
    const failed = status >= 500 && !path.startsWith('sys/health');
    assert.ok(!failed, `${status}: ${text}\n${target.logged.at(-1)}`);
    if (status >= 400) assert.ok(!text.includes(CANARY) && !text.includes(ROOT), `repeats what was sent: ${text}`);
    assert.ok(status !== 200 || method === 'HEAD' || text !== '', 'a 200 has a body');
  };
  const property = fc.asyncProperty(fc.array(tried, { minLength: 1, maxLength: 16, size: 'max' }), async (requests) => {
    if (batches++ % 16 === 0) await renewIds();
    await Promise.all(requests.map(check));
  });
  await fc.assert(property, { seed, numRuns: 1_000_000, interruptAfterTimeLimit: seconds * 1000, endOnFailure: false });
  const health = await target.send('GET', 'sys/health', { token: undefined });
  assert.equal(health.status, 200);
  assert.deepEqual(
    target.logged.filter((line) => line.startsWith('a request failed')),
    [],
  );
  const shown = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  context.diagnostic(shown.join(', '));
  for (const status of [200, 204, 400, 403, 404, 405])
    assert.ok((statuses.get(status) ?? 0) > 0, `${status} was reached`);
});
