import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../testing.ts';

describe('sys/capabilities-self', () => {
  const ask = async (server: TestServer, body: unknown, token = server.root) =>
    server.call('POST', 'sys/capabilities-self', { body, token });

  test('each path has its capabilities, sorted, at both levels', async () => {
    const server = await TestServer.open();
    const token = await server.tokenWith(`
      path "x/*" { capabilities = ["read", "list"] }
      path "x/no" { capabilities = ["deny"] }
      path "__proto__" { capabilities = ["update", "create"] }
      path "sys/capabilities-self" { capabilities = ["update"] }`);
    const paths = ['x/a', 'x/no', '__proto__', 'y'];
    const { json } = await ask(server, { paths }, token);
    const wanted = [['list', 'read'], ['deny'], ['create', 'update'], ['deny']];
    assert.deepEqual(
      paths.map((path) => at(json, 'data', path)),
      wanted,
    );
    assert.deepEqual(
      paths.filter((path) => path !== '__proto__').map((path) => at(json, path)),
      [wanted[0], wanted[1], wanted[3]],
    );
    assert.equal(at(json, 'data', 'capabilities'), undefined);
  });

  for (const body of [{ path: 'x' }, { paths: 'x' }, { paths: ['x'] }, { paths: ['x'], path: 'x' }]) {
    test(`${JSON.stringify(body)} is one path`, async () => {
      const { json } = await ask(await TestServer.open(), body);
      assert.deepEqual(at(json, 'data'), { capabilities: ['root'], x: ['root'] });
      assert.deepEqual(at(json, 'capabilities'), ['root']);
    });
  }

  test('paths in a comma text, from path and paths together', async () => {
    const { json } = await ask(await TestServer.open(), { paths: 'x,y', path: ['z'] });
    assert.deepEqual(at(json, 'data'), { x: ['root'], y: ['root'], z: ['root'] });
  });

  const many = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);
  for (const [what, body, wanted] of [
    ['no paths', {}, 400],
    ['an empty list', { paths: [] }, 400],
    ['an empty path', { paths: ['a', ''] }, 400],
    ['256 paths', { paths: many(256) }, 200],
    ['257 paths', { paths: many(257) }, 400],
  ] as const) {
    test(`${what}: ${wanted}`, async () => assert.equal((await ask(await TestServer.open(), body)).status, wanted));
  }

  test('it needs the grant of a policy, as the default policy has it', async () => {
    const server = await TestServer.open();
    const token = await server.tokenWith('path "x" { capabilities = ["read"] }');
    assert.equal((await ask(server, { paths: ['x'] }, token)).status, 403);
  });
});
