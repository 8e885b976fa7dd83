// Known attacks B13–B16 for wrapping tokens and cubbyholes.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT as FAULTS_ROOT } from '../faults/client.ts';
import { live } from '../faults/life.ts';
import { unwrapAtOnce } from './once.ts';
import { at, Client, ROOT, type Sent, scratchFolder, startTarget } from './support.ts';

const folder = scratchFolder();
const target = await startTarget({ data: folder });
const CANARY = 'canary-3f9c1d';
await target.put('secret/data/b', CANARY);

const MINUTE = { 'X-Service-Wrap-TTL': '60' };

const wrapped = async (method: string, path: string, sent: Sent = {}): Promise<string> =>
  String(at((await target.expect(200, method, path, { headers: MINUTE, ...sent })).json, 'wrap_info', 'token'));

const unwrap = (status: number, token: string) =>
  target.expect(status, 'POST', 'sys/wrapping/unwrap', { body: { token } });

test('B13 of 64 who unwrap at once exactly one gets the answer', () => unwrapAtOnce([target], ROOT));

test('B13 the same over four processes on one store', async () => {
  const data = scratchFolder();
  const flags = ['--dev', '--dev-root-token-id', FAULTS_ROOT, '--listen', '127.0.0.1:0', '--data', data];
  const life = await live(data, { flags: [...flags, '--workers', '4'] });
  // Connections go to the process that has the fewest.
  const clients = Array.from({ length: 4 }, () => new Client(new URL(life.url).host));
  try {
    assert.equal(life.workers().length, 4);
    await unwrapAtOnce(clients, FAULTS_ROOT);
  } finally {
    for (const client of clients) client.close();
    await life.end('SIGTERM');
  }
});

test('B14 a bad lifetime is refused before any effect, none wraps nothing', async () => {
  const versions = async (): Promise<unknown> =>
    at((await target.send('GET', 'secret/metadata/b')).json, 'data', 'current_version');
  const before = await versions();
  for (const ttl of ['-1', 'abc', '1e9', '999999999', '60.5', '1w', '9'.repeat(1_000), '10 s', '٦٠']) {
    const headers = { 'X-Service-Wrap-TTL': Buffer.from(ttl).toString('latin1') };
    await target.expect(400, 'POST', 'secret/data/b', { headers, body: { data: { value: 'changed' } } });
    await target.expect(400, 'POST', 'auth/token/create', { headers, body: { id: 'never-made' } });
  }
  assert.equal(await versions(), before);
  await target.expect(403, 'POST', 'auth/token/lookup', { body: { token: 'never-made' } });
  for (const ttl of ['0', '', '0s']) {
    const { json } = await target.expect(200, 'GET', 'secret/data/b', { headers: { 'X-Service-Wrap-TTL': ttl } });
    assert.deepEqual([at(json, 'data', 'data', 'value'), at(json, 'wrap_info')], [CANARY, null]);
  }
});

test('B14 a look at a wrapping token does not use it, and a new one ends the old', async () => {
  const first = await wrapped('GET', 'secret/data/b');
  for (let i = 0; i < 3; i++) {
    await target.expect(200, 'POST', 'sys/wrapping/lookup', { token: undefined, body: { token: first } });
    await target.expect(200, 'GET', 'sys/wrapping/lookup', { token: first });
  }
  const { json } = await target.expect(200, 'POST', 'sys/wrapping/rewrap', { body: { token: first } });
  await unwrap(400, first);
  const back = await unwrap(200, String(at(json, 'wrap_info', 'token')));
  assert.equal(at(back.json, 'data', 'data', 'value'), CANARY);
});

test('B14 a wrapped answer lies in no file and no log in clear, nor its token', async () => {
  const secret = 'canary-in-store-77aa';
  const token = await wrapped('POST', 'sys/wrapping/wrap', { body: { secret } });
  await target.expect(204, 'POST', 'cubbyhole/x', { body: { secret } });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const stored = files.map((file) => readFileSync(join(file.parentPath, file.name)));
  assert.ok(
    stored.some((bytes) => bytes.includes('wrapped/')),
    'the store is looked at',
  );
  for (const bytes of stored) for (const text of [secret, token]) assert.ok(!bytes.includes(text));
  assert.ok(!target.logged.some((line) => line.includes(secret) || line.includes(token)));
  await unwrap(200, token);
});

test('B15 a wrapping token is no ordinary token, and any refused use spends it', async () => {
  const uses: readonly (readonly [string, string, unknown?])[] = [
    ['GET', 'secret/data/b'],
    ['LIST', 'secret/metadata/'],
    ['GET', 'auth/token/lookup-self'],
    ['POST', 'auth/token/create', {}],
    ['POST', 'cubbyhole/response', { a: 1 }],
    ['GET', 'cubbyhole/response'],
    ['POST', 'sys/capabilities-self', { paths: ['secret/data/b'] }],
    ['POST', 'sys/wrapping/wrap', {}],
    ['POST', 'sys/wrapping/rewrap', {}],
    ['OPTIONS', 'sys/wrapping/unwrap'],
    ['GET', 'sys/wrapping/unwrap'],
  ];
  for (const [method, path, body] of uses) {
    const token = await wrapped('GET', 'secret/data/b');
    await target.expect([403], method, path, { token, body });
    await unwrap(400, token);
  }
  const malformed = await wrapped('GET', 'secret/data/b');
  await target.expect(400, 'POST', 'sys/wrapping/unwrap', { token: malformed, body: '{' });
  await unwrap(400, malformed);
  for (const sent of [{ headers: { 'X-Service-Namespace': 'other' } }, { headers: { 'X-Service-Wrap-TTL': '-1' } }]) {
    const token = await wrapped('GET', 'secret/data/b');
    await target.expect([400, 404], 'POST', 'sys/wrapping/unwrap', { token, body: {}, ...sent });
    await unwrap(400, token);
  }
});

test('B15 what has another token in it stays that of who is named: no cubbyhole, no answer is crossed', async () => {
  const [one, two] = [await target.token({ policies: ['default'] }), await target.token({ policies: ['default'] })];
  await target.expect(204, 'POST', 'cubbyhole/a', { token: one, body: { of: 'one' } });
  for (const path of ['cubbyhole/a', 'cubbyhole/./a', 'cubbyhole/../cubbyhole/a', `cubbyhole/${one}/a`]) {
    for (const token of [two, ROOT]) await target.expect([400, 404, 403], 'GET', path, { token });
  }
  await target.expect(204, 'POST', 'auth/token/revoke', { body: { token: one } });
  await target.expect(403, 'GET', 'cubbyhole/a', { token: one });
});

test('B16 one wrapping header: two lines are refused, both names only where they differ', async () => {
  const both = (own: string, family: string) => ({ 'X-Service-Wrap-TTL': own, 'X-Vault-Wrap-TTL': family });
  for (const [headers, status] of [
    [{ 'X-Service-Wrap-TTL': ['60', '60'] }, 400],
    [{ 'X-Vault-Wrap-TTL': ['60', '0'] }, 400],
    [both('60', '61'), 400],
    [both('60', '0'), 400],
    [both('60', '60'), 200],
  ] as const) {
    const sent: Sent = {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
      ),
    };
    const { text } = await target.expect(status, 'GET', 'secret/data/b', sent);
    assert.ok(!text.includes(CANARY));
  }
});
