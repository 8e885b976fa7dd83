// Known attack I7: a server that is sealed, or was never initialised, gives out nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenEndpoints } from '../../src/auth/token/index.ts';
import { engines } from '../../src/engines/index.ts';
import type { Verb } from '../../src/framework/endpoint.ts';
import { statusEndpoints, systemEndpoints } from '../../src/sys/index.ts';
import { at, startTarget, type Target } from './support.ts';

const METHODS: Readonly<Record<Verb, string>> = {
  read: 'GET',
  list: 'LIST',
  scan: 'SCAN',
  write: 'POST',
  patch: 'PATCH',
  remove: 'DELETE',
};

const kv = engines.flatMap((engine) =>
  engine.type === 'kv' ? engine.variant(new Map([['version', '2']])).endpoints : [],
);

/** Method and path of each declared endpoint, its parameters filled with names that exist. */
const declared = (prefix: string, endpoints: readonly { readonly verb: Verb; readonly path: string }[], name: string) =>
  endpoints.map(({ verb, path }) => [METHODS[verb], prefix + path.replace(/:\w+/g, name)] as const);

const SECRET = [
  ...declared('sys/', systemEndpoints, 'secret'),
  ...declared('auth/token/', tokenEndpoints, 'x'),
  ...declared('secret/', kv, 'a'),
];
const OPEN = declared('sys/', statusEndpoints, '');

async function refusesAll(target: Target, unseals: boolean): Promise<void> {
  const bodies = { body: '{"data":{},"policy":"","token":"x","type":"kv-v2","paths":["a"]}' };
  for (const [method, path] of SECRET) {
    for (const sent of [{}, { token: undefined }, { token: 'stranger' }]) {
      for (const headers of [{}, { 'Content-Type': 'application/merge-patch+json' }]) {
        const { status, text } = await target.send(method, path, { ...sent, ...bodies, headers });
        assert.equal(status, 503, `${method} ${path}`);
        assert.deepEqual(Object.keys(JSON.parse(text)), ['errors']);
      }
    }
    await target.expect(503, 'GET', `${path}?list=true`);
    await target.expect([405, 503], 'OPTIONS', path);
  }
  for (const [method, path] of OPEN) {
    const { status, text } = await target.send(method, path, { body: method === 'GET' ? undefined : '{}' });
    assert.ok([200, 400, unseals ? 503 : 501].includes(status), `${method} ${path}: ${status}`);
    assert.doesNotMatch(text, /canary|"(?:keys|root_token|cluster_id)":/, path);
  }
  await target.expect(503, 'GET', 'nowhere');
  await target.expect(307, 'GET', 'secret//data/a');
  await target.expect(400, 'GET', 'secret/data/%2e%2e/a');
}

test('I7 while it is sealed no declared endpoint but the status ones answers, to whatever token', async () => {
  const target = await startTarget();
  await target.put('secret/data/a', 'canary');
  await target.expect(200, 'GET', 'secret/data/a');
  await target.expect(204, 'POST', 'sys/seal');
  await target.expect(503, 'GET', 'sys/health');
  await refusesAll(target, true);
  await target.expect(400, 'PUT', 'sys/init', { body: { secret_shares: 1, secret_threshold: 1 } });
  const wrong = Buffer.alloc(32, 7).toString('base64');
  await target.expect([400, 403], 'POST', 'sys/unseal', { body: { key: wrong }, token: undefined });
  await target.expect(503, 'GET', 'secret/data/a');
  const key = target.server.development?.unsealKey;
  const opened = await target.expect(200, 'POST', 'sys/unseal', { body: { key }, token: undefined });
  assert.equal(at(opened.json, 'sealed'), false);
  assert.equal(await target.value('secret/data/a'), 'canary');
});

test('I7 a server that was never initialised has nothing to tell and takes no token', async () => {
  const target = await startTarget({ dev: false, devRootTokenId: undefined });
  await target.expect(501, 'GET', 'sys/health');
  await refusesAll(target, false);
  await target.expect(400, 'POST', 'sys/unseal', { body: { key: Buffer.alloc(32, 7).toString('hex') } });
});

test('I7 nothing is answered after the seal is, however many requests are on their way', async () => {
  const target = await startTarget();
  await target.put('secret/data/a', 'canary');
  let sealed = false;
  let late = 0;
  const reader = async (): Promise<void> => {
    for (let i = 0; i < 40; i++) {
      const asked = sealed;
      const { status, text } = await target.send('GET', 'secret/data/a');
      assert.ok(status === 200 || status === 503, String(status));
      assert.equal(status === 200, text.includes('canary'));
      if (asked) {
        assert.equal(status, 503, 'asked after the seal was answered');
        late++;
      }
    }
  };
  const writer = async (): Promise<void> => {
    for (let i = 0; i < 40; i++) {
      const { status } = await target.send('POST', `secret/data/w/${i}`, { body: { data: {} } });
      assert.ok(status === 200 || status === 503, String(status));
    }
  };
  const seal = async (): Promise<void> => {
    await target.expect(200, 'GET', 'secret/data/a');
    await target.expect(204, 'POST', 'sys/seal');
    sealed = true;
  };
  await Promise.all([...Array.from({ length: 16 }, reader), ...Array.from({ length: 4 }, writer), seal()]);
  assert.ok(late > 0);
  assert.deepEqual(
    target.logged.filter((line) => line.startsWith('a request failed')),
    [],
  );
});

test('I7, I1 a stranger neither seals nor rotates, and whoever unseals shows nothing of the round', async () => {
  const target = await startTarget();
  const weak = await target.tokenWith('path "sys/*" { capabilities = ["read", "update", "create", "list"] }');
  for (const token of [undefined, 'stranger', weak]) {
    await target.expect(403, 'POST', 'sys/seal', { token });
    await target.expect(403, 'POST', 'sys/rotate', { token });
  }
  for (const [method, path] of SECRET) {
    if (path.startsWith('sys/internal/ui/mounts') && method === 'GET') continue;
    const { status } = await target.send(method, path, { token: undefined, body: '{"data":{}}' });
    assert.equal(status, 403, `${method} ${path}`);
  }
  await target.expect(200, 'GET', 'sys/health');
  const { json } = await target.expect(200, 'GET', 'sys/seal-status', { token: undefined });
  assert.equal(at(json, 'nonce'), '');
});
