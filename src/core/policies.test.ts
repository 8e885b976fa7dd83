import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Identity } from '../policies/index.ts';
import { at, TestServer } from '../sys/testing.ts';

describe('rules that end', () => {
  const END = Date.parse('2030-01-01T00:00:10Z');
  const rules = `
    path "sys/mounts" { capabilities = ["read"] expiration = "2030-01-01T00:00:10Z" }
    path "sys/auth" { capabilities = ["read", "sudo"] }
    path "sys/key-status" { capabilities = ["deny"] expiration = "2030-01-01T00:00:10Z" }
    path "sys/key-*" { capabilities = ["read"] }`;

  test('they hold to the last millisecond, and for no request after it, without any write', async () => {
    let now = END - 5_000;
    const server = await TestServer.open({ clock: () => now });
    const token = await server.tokenWith(rules);
    const statuses = async (): Promise<readonly number[]> => {
      const paths = ['sys/mounts', 'sys/auth', 'sys/key-status'];
      return Promise.all(paths.map(async (path) => (await server.call('GET', path, { token })).status));
    };
    assert.deepEqual(await statuses(), [200, 200, 403]);
    now = END - 1;
    assert.deepEqual(await statuses(), [200, 200, 403]);
    now = END;
    assert.deepEqual(await statuses(), [403, 200, 200]);
    now = END + 1_000;
    assert.deepEqual(await statuses(), [403, 200, 200]);
  });

  test('a rule that has ended already is taken with a warning', async () => {
    const server = await TestServer.open({ clock: () => END });
    const { status, json } = await server.call('POST', 'sys/policies/acl/p', { body: { policy: rules } });
    assert.deepEqual([status, Object(at(json, 'warnings')).length], [200, 1]);
  });
});

describe('rules of an identity', () => {
  const identity = (version: string, name: string): Identity => ({
    version,
    id: 'e',
    name,
    metadata: new Map(),
    aliases: new Map(),
    groups: [],
  });

  test('each version of an identity has its own list; what is compiled is kept, in bounded memory', async () => {
    const server = await TestServer.open();
    const { barrier, state } = server.service;
    const write = (text: string) => server.call('POST', 'sys/policies/acl/p', { body: { policy: text } });
    await write(
      'path "s/{{identity.entity.name}}" { capabilities = ["read"] } path "plain" { capabilities = ["read"] }',
    );
    const acl = (who?: Identity) => barrier.transact(async (tx) => (await state.current(tx)).acl(tx, ['p'], who));
    const seen = async (who?: Identity) => {
      const list = await acl(who);
      return ['s/ada', 's/eve', 'plain'].map((path) => list.capabilities(path).join());
    };
    assert.deepEqual(await seen(), ['deny', 'deny', 'read']);
    assert.deepEqual(await seen(identity('1', 'ada')), ['read', 'deny', 'read']);
    assert.deepEqual(await seen(identity('2', 'eve')), ['deny', 'read', 'read']);
    assert.deepEqual(await seen(identity('3', '*')), ['deny', 'deny', 'read']);
    assert.equal(await acl(identity('1', 'ada')), await acl(identity('1', 'ada')));
    assert.equal(await acl(), await acl());
    const before = await acl(identity('1', 'ada'));
    for (let i = 0; i < 6_000; i += 1) await acl(identity(`v${i}`, 'ada'));
    assert.notEqual(await acl(identity('1', 'ada')), before, 'the oldest are let go');
    await write('path "s/{{identity.entity.name}}" { capabilities = ["list"] }');
    assert.deepEqual(await seen(identity('1', 'ada')), ['list', 'deny', 'deny']);
  });

  test('without templates all identities share one list', async () => {
    const server = await TestServer.open();
    const { barrier, state } = server.service;
    await server.call('POST', 'sys/policies/acl/p', { body: { policy: 'path "a" { capabilities = ["read"] }' } });
    await barrier.transact(async (tx) => {
      const revision = await state.current(tx);
      assert.equal(await revision.acl(tx, ['p'], identity('1', 'ada')), await revision.acl(tx, ['p']));
    });
  });
});
