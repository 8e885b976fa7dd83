import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { api, scratchFolder } from '../../../cli/testing.ts';
import { configOf } from '../../../config.ts';
import { createLog } from '../../../log.ts';
import { type RunningServer, startServer } from '../../../server.ts';

const log = createLog({ level: 'warn', format: 'text', write: (line) => process.stderr.write(line) });

let server: RunningServer;
before(async () => {
  const development = { dev: true, devRootTokenId: 'root', listen: '127.0.0.1:0' };
  server = await startServer(configOf({ ...development, data: scratchFolder() }), log);
});
after(() => server.stop());

async function call(status: number, method: string, path: string, body?: unknown, token = 'root'): Promise<unknown> {
  const answer = await api(server.url, token, method, path, body);
  assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.json)}`);
  return answer.json;
}
const dataOf = (json: unknown): unknown => Object(json).data;
const optionsOf = async (path: string): Promise<unknown> =>
  Object(await call(200, 'GET', `sys/mounts/${path}`)).options;

for (const [path, mount, options] of [
  ['plain', { type: 'kv' }, null],
  ['one', { type: 'kv', options: { version: '1' } }, { version: '1' }],
  ['alias', { type: 'kv-v1' }, { version: '1' }],
  ['generic', { type: 'generic' }, null],
] as const) {
  test(`${JSON.stringify(mount)} serves version 1`, async () => {
    await call(204, 'POST', `sys/mounts/${path}`, mount);
    assert.deepEqual(await optionsOf(path), options);
    await call(204, 'PUT', `${path}/data/a`, { data: { x: 1 } });
    const read = Object(await call(200, 'GET', `${path}/data/a`));
    // 32 days, the lifetime of the server.
    assert.deepEqual([read.data, read.lease_duration, read.renewable], [{ data: { x: 1 } }, 2_764_800, false]);
    assert.deepEqual(dataOf(await call(200, 'SCAN', path)), { keys: ['data/a'] });
    assert.deepEqual(dataOf(await call(200, 'GET', `${path}?scan=true`)), { keys: ['data/a'] });
    await call(405, 'PATCH', `${path}/data/a`, { y: 1 });
    await call(400, 'POST', path, { x: 1 });
    await call(400, 'POST', `${path}/a/`, { x: 1 });
  });
}

test('how long a secret may be kept follows the mount, where the secret says nothing', async () => {
  await call(204, 'POST', 'sys/mounts/short', { type: 'kv', config: { default_lease_ttl: '90s' } });
  await call(204, 'POST', 'short/a', { x: 1 });
  await call(204, 'POST', 'short/b', { ttl: '5m' });
  const lease = async (path: string) => Object(await call(200, 'GET', path)).lease_duration;
  assert.deepEqual([await lease('short/a'), await lease('short/b')], [90, 300]);
});

test('a form is a secret of texts', async () => {
  await call(204, 'POST', 'sys/mounts/form', { type: 'kv' });
  const headers = { 'X-Service-Token': 'root', 'Content-Type': 'application/x-www-form-urlencoded' };
  const sent = await fetch(`${server.url}/v1/form/a`, { method: 'POST', headers, body: 'x=1&y=a+%C3%A9&ttl=7' });
  assert.equal(sent.status, 204);
  const read = Object(await call(200, 'GET', 'form/a'));
  assert.deepEqual([read.data, read.lease_duration], [{ x: '1', y: 'a é', ttl: '7' }, 7]);
});

describe('the upgrade', () => {
  test('is one request; what was written is version 1 of the same secrets, and there is no way back', async () => {
    await call(204, 'POST', 'sys/mounts/up', { type: 'kv', description: 'mine' });
    for (const path of ['a', 'a/b', 'f/g']) await call(204, 'POST', `up/${path}`, { path });
    await call(204, 'POST', 'sys/mounts/up/tune', { options: { version: '2' } });
    assert.deepEqual(await optionsOf('up'), { version: '2' });
    assert.deepEqual(dataOf(await call(200, 'SCAN', 'up/metadata')), { keys: ['a', 'a/b', 'f/g'] });
    for (const path of ['a', 'a/b', 'f/g']) {
      const { data, metadata } = Object(dataOf(await call(200, 'GET', `up/data/${path}`)));
      assert.deepEqual([data, metadata.version, metadata.destroyed], [{ path }, 1, false]);
      await call(404, 'GET', `up/${path}`);
    }
    await call(400, 'POST', 'up/data/a', { data: {}, options: { cas: 0 } });
    await call(200, 'POST', 'up/data/a', { data: {}, options: { cas: 1 } });
    for (const version of ['1', '', '3']) {
      await call(400, 'POST', 'sys/mounts/up/tune', { options: { version }, description: 'changed' });
    }
    assert.deepEqual(await optionsOf('up'), { version: '2' });
    await call(204, 'POST', 'sys/mounts/up/tune', { options: { version: '2' } });
  });

  test('leaves what a policy must grant to the new addresses', async () => {
    await call(204, 'POST', 'sys/mounts/rights', { type: 'kv' });
    await call(204, 'POST', 'rights/a', { x: 1 });
    const policy =
      'path "rights/*" { capabilities = ["create", "read"] } path "rights/data/a" { capabilities = ["deny"] }';
    await call(204, 'POST', 'sys/policies/acl/rights', { policy });
    const created = { id: 'rights', policies: ['rights'], no_default_policy: true };
    await call(200, 'POST', 'auth/token/create', created);
    await call(200, 'GET', 'rights/a', undefined, 'rights');
    await call(204, 'POST', 'rights/b', { x: 1 }, 'rights');
    await call(403, 'POST', 'rights/b', { x: 2 }, 'rights');
    await call(204, 'POST', 'sys/mounts/rights/tune', { options: { version: '2' } });
    await call(403, 'GET', 'rights/data/a', undefined, 'rights');
    await call(200, 'GET', 'rights/data/b', undefined, 'rights');
    await call(403, 'POST', 'rights/data/b', { data: {} }, 'rights');
    await call(200, 'POST', 'rights/data/c', { data: {} }, 'rights');
  });
});

test('lists filtered: an option of the mount', async () => {
  for (const [path, version, beginning] of [
    ['f1', '1', ''],
    ['f2', '2', 'data/'],
  ] as const) {
    await call(400, 'POST', `sys/mounts/${path}`, { type: 'kv', options: { version, filter_lists: 'yes' } });
    await call(204, 'POST', `sys/mounts/${path}`, { type: 'kv', options: { version, filter_lists: 'true' } });
    const listed = version === '1' ? path : `${path}/metadata`;
    for (const name of ['a', 'b', 'team/x', 'other/x']) {
      await call(version === '1' ? 204 : 200, 'POST', `${path}/${beginning}${name}`, { data: { name } });
    }
    const policy = `path "${listed}/" { capabilities = ["list", "scan"] }
      path "${path}/${beginning}b" { capabilities = ["read"] }
      path "${path}/${beginning}team/*" { capabilities = ["read"] }`;
    await call(204, 'POST', `sys/policies/acl/${path}`, { policy });
    const body = { id: `of-${path}`, policies: [path], no_default_policy: true };
    await call(200, 'POST', 'auth/token/create', body);
    assert.deepEqual(dataOf(await call(200, 'LIST', listed, undefined, `of-${path}`)), { keys: ['b', 'team/'] });
    assert.deepEqual(dataOf(await call(200, 'SCAN', listed, undefined, `of-${path}`)), { keys: ['b', 'team/x'] });
    assert.deepEqual(dataOf(await call(200, 'SCAN', listed)), { keys: ['a', 'b', 'other/x', 'team/x'] });
  }
});
