import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../../sys/testing.ts';

const server = await TestServer.open();
const call = server.call.bind(server);

/** A token with the policy `default`, which is what every token has of its cubbyhole. */
async function fresh(body: object = { policies: ['default'] }): Promise<string> {
  return String(at((await call('POST', 'auth/token/create', { body })).json, 'auth', 'client_token'));
}

const keysOf = async (token: string, path: string): Promise<unknown> => {
  const { status, json } = await call('LIST', path, { token });
  return status === 200 ? at(json, 'data', 'keys') : status;
};

describe('a cubbyhole', () => {
  test('is written, read, listed and deleted', async () => {
    const token = await fresh();
    assert.equal((await call('GET', 'cubbyhole/a', { token })).status, 404);
    assert.equal(await keysOf(token, 'cubbyhole'), 404);
    for (const [method, path] of [
      ['POST', 'a'],
      ['PUT', 'f/b'],
      ['POST', 'f/c/d'],
      ['POST', 'ä'],
      ['POST', '__proto__'],
    ]) {
      assert.equal((await call(String(method), encodeURI(`cubbyhole/${path}`), { token, body: { path } })).status, 204);
    }
    for (const path of ['a', 'f/b', 'f/c/d', 'ä', '__proto__']) {
      const { json } = await call('GET', encodeURI(`cubbyhole/${path}`), { token });
      assert.deepEqual(at(json, 'data'), { path });
    }
    for (const root of ['cubbyhole', 'cubbyhole/'])
      assert.deepEqual(await keysOf(token, root), ['__proto__', 'a', 'f/', 'ä']);
    assert.deepEqual(await keysOf(token, 'cubbyhole/f'), ['b', 'c/']);
    assert.deepEqual(await keysOf(token, 'cubbyhole?after=a&limit=1'), ['f/']);
    // The policy `default` need not say `scan`: root may.
    const other = await fresh({ policies: ['root'] });
    await call('POST', 'cubbyhole/f/b', { token: other, body: { x: 1 } });
    const scanned = await call('SCAN', 'cubbyhole', { token: other });
    assert.deepEqual(at(scanned.json, 'data', 'keys'), ['f/b'], 'its own alone');
    for (let i = 0; i < 2; i++) assert.equal((await call('DELETE', 'cubbyhole/a', { token })).status, 204);
    assert.equal((await call('GET', 'cubbyhole/a', { token })).status, 404);
    assert.deepEqual(await keysOf(token, 'cubbyhole'), ['__proto__', 'f/', 'ä']);
  });

  test('keeps JSON to the digit and in order; a later write replaces it whole', async () => {
    const token = await fresh();
    const body = '{ "10":1.100000000000000000001, "2":[null] }';
    assert.equal((await call('POST', 'cubbyhole/a', { token, body })).status, 204);
    assert.ok((await call('GET', 'cubbyhole/a', { token })).text.includes(`"data":${body},"wrap_info"`));
    await call('POST', 'cubbyhole/a', { token, body: { b: 1 } });
    assert.deepEqual(at((await call('GET', 'cubbyhole/a', { token })).json, 'data'), { b: 1 });
  });

  for (const [what, method, path, body, status] of [
    ['an empty object', 'POST', 'cubbyhole/a', {}, 400],
    ['no body', 'POST', 'cubbyhole/a', undefined, 400],
    ['a list', 'POST', 'cubbyhole/a', '[1]', 400],
    ['a folder', 'POST', 'cubbyhole/a/', { a: 1 }, 400],
    ['a patch', 'PATCH', 'cubbyhole/a', { a: 1 }, 403],
  ] as const) {
    test(`takes no ${what}: ${status}`, async () => {
      const token = await fresh();
      assert.equal((await call(method, path, { token, body })).status, status);
      assert.equal(await keysOf(token, 'cubbyhole'), 404);
    });
  }

  test('is each token’s own, root included, also of one family', async () => {
    const parent = await fresh({ policies: ['root'] });
    await call('POST', 'cubbyhole/a', { token: parent, body: { of: 'parent' } });
    const made = await call('POST', 'auth/token/create', { token: parent, body: { policies: ['root'] } });
    const child = String(at(made.json, 'auth', 'client_token'));
    for (const token of [child, await fresh(), server.root]) {
      assert.equal((await call('GET', 'cubbyhole/a', { token })).status, 404);
      assert.equal(await keysOf(token, 'cubbyhole'), 404);
      assert.equal((await call('DELETE', 'cubbyhole/a', { token })).status, 204);
    }
    await call('POST', 'cubbyhole/a', { token: child, body: { of: 'child' } });
    assert.deepEqual(at((await call('GET', 'cubbyhole/a', { token: parent })).json, 'data'), { of: 'parent' });
    assert.equal((await call('GET', 'cubbyhole/a', { token: undefined })).status, 403);
    assert.equal((await call('POST', 'cubbyhole/a', { token: undefined, body: { a: 1 } })).status, 403);
  });

  test('asks for create where nothing is and for update where something is', async () => {
    for (const [capability, first, second] of [
      ['create', 204, 403],
      ['update', 403, 403],
    ]) {
      const token = await server.tokenWith(`path "cubbyhole/*" { capabilities = ["${capability}"] }`);
      for (const status of [first, second]) {
        assert.equal((await call('POST', 'cubbyhole/a', { token, body: { a: 1 } })).status, status);
      }
    }
  });

  test('leaves no value, and no accessor, readable in the names of records', async () => {
    const token = await fresh();
    const { json } = await call('GET', 'auth/token/lookup-self', { token });
    await call('POST', 'cubbyhole/name', { token, body: { a: 1 } });
    const keys = [...server.store.contents().keys()];
    assert.ok(keys.some((key) => key.endsWith('/name')));
    for (const secret of [token, String(at(json, 'data', 'accessor'))]) {
      assert.ok(!keys.some((key) => key.includes(secret)));
    }
  });
});

test('is mounted from the first start, and neither elsewhere nor away', async () => {
  await call('POST', 'sys/mounts/boxed', { body: { type: 'box' } });
  for (const [method, path, body] of [
    ['POST', 'sys/mounts/other', { type: 'cubbyhole' }],
    ['POST', 'sys/mounts/cubbyhole', { type: 'box' }],
    ['POST', 'sys/mounts/cubbyhole/x', { type: 'box' }],
    ['DELETE', 'sys/mounts/cubbyhole', undefined],
    ['POST', 'sys/auth/cubbyhole', { type: 'cubbyhole' }],
    ['POST', 'sys/remount', { from: 'cubbyhole', to: 'other' }],
    ['POST', 'sys/remount', { from: 'boxed', to: 'cubbyhole/x' }],
  ] as const) {
    assert.equal((await call(method, path, { body })).status, 400, `${method} ${path}`);
  }
  const { json } = await call('GET', 'sys/mounts/cubbyhole');
  assert.equal(at(json, 'type'), 'cubbyhole');
});
