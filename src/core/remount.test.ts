import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusal } from '../barrier/testing.ts';
import { at, TestServer } from '../sys/testing.ts';
import { findMigration, type Migration, remountMount } from './remount.ts';
import { readMounts } from './state.ts';

async function fixture() {
  const server = await TestServer.open();
  for (const path of ['one', 'deep/two', 'three']) {
    assert.equal((await server.call('POST', `sys/mounts/${path}`, { body: { type: 'box' } })).status, 204);
  }
  await server.call('POST', 'sys/auth/door', { body: { type: 'door', description: 'mine' } });
  await server.call('POST', 'one/x/y', { body: { value: 'kept' } });
  const { barrier } = server.service;
  return {
    server,
    move: (from: string, to: string): Promise<Migration> => barrier.transact((tx) => remountMount(tx, from, to)),
    find: (id: string): Promise<Migration | undefined> => barrier.transact((tx) => findMigration(tx, id)),
    mounts: () => barrier.transact(readMounts),
  };
}

describe('moving a mount', () => {
  test('changes its path and nothing else; its data is at the new path alone, at once', async () => {
    const { server, move, find, mounts } = await fixture();
    const before = await mounts();
    const migration = await move('/one/', 'new/place');
    assert.deepEqual(migration, { id: migration.id, source: 'one/', target: 'new/place/' });
    assert.match(migration.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.deepEqual(await find(migration.id), migration);
    const renamed = before.map((entry) => (entry.path === 'one/' ? { ...entry, path: 'new/place/' } : entry));
    assert.deepEqual(await mounts(), renamed);
    assert.equal(at((await server.call('GET', 'new/place/x/y')).json, 'data', 'value'), 'kept');
    assert.equal((await server.call('GET', 'one/x/y')).status, 404);
    assert.equal((await server.call('POST', 'one/x/y', { body: { value: 'late' } })).status, 404);
  });

  test('an auth method too, under auth/', async () => {
    const { server, move, mounts } = await fixture();
    await server.call('POST', 'auth/door/x', { body: { value: 'kept' } });
    const { source, target } = await move('auth/door', 'auth/front/door/');
    assert.deepEqual([source, target], ['auth/door/', 'auth/front/door/']);
    assert.equal(at((await server.call('GET', 'auth/front/door/x')).json, 'data', 'value'), 'kept');
    assert.equal((await server.call('GET', 'auth/door/x')).status, 404);
    const [entry] = (await mounts()).filter(({ path }) => path === 'front/door/');
    assert.deepEqual([entry?.kind, entry?.description], ['auth', 'mine']);
  });

  test('the old path is free: a new mount there is empty, and unmounting it leaves the moved one alone', async () => {
    const { server, move } = await fixture();
    await move('one', 'four');
    await server.call('POST', 'sys/mounts/one', { body: { type: 'box' } });
    assert.equal((await server.call('GET', 'one/x/y')).status, 404);
    await server.call('DELETE', 'sys/mounts/one');
    assert.equal((await server.call('GET', 'four/x/y')).status, 200);
    await move('four', 'one');
    assert.equal((await server.call('GET', 'one/x/y')).status, 200);
  });

  for (const [what, from, to, text] of [
    ['no path to move from', '', 'a', /^from: is required/],
    ['no path to move to', 'one', '/', /^to: is required/],
    ['what is not mounted', 'none', 'a', /^from: there is no mount/],
    ['a path above a mount', 'deep', 'a', /^from: there is no mount/],
    ['a path within a mount', 'one/x', 'a', /^from: there is no mount/],
    ['a method that is not enabled', 'auth/none', 'auth/a', /^from: there is no mount/],
    ['a secrets engine named as a method', 'auth/one', 'auth/a', /^from: there is no mount/],
    ['a secrets engine to be a method', 'one', 'auth/a', /^to: an auth method stays/],
    ['a method to be a secrets engine', 'auth/door', 'a', /^to: an auth method stays/],
    ['the system', 'sys', 'a', /^from: path is already in use/],
    ['the token method', 'auth/token', 'auth/a', /^from: path is already in use/],
    ['all methods', 'auth', 'a', /^from: path is already in use/],
    ['to the system', 'one', 'sys/a', /^to: path is already in use/],
    ['to the cubbyhole', 'one', 'cubbyhole', /^to: path is already in use/],
    ['beneath the token method', 'auth/door', 'auth/token/a', /^to: path is already in use/],
    ['to itself', 'one', 'one', /^to: path is already in use/],
    ['beneath itself', 'one', 'one/a', /^to: path is already in use/],
    ['above itself', 'deep/two', 'deep', /^to: path is already in use/],
    ['to a path in use', 'one', 'three', /^to: path is already in use/],
    ['beneath one in use', 'one', 'three/a', /^to: path is already in use/],
    ['above one in use', 'one', 'deep', /^to: path is already in use/],
    ['to a path that none can ask for', 'one', 'a/../b', /^to: a segment/],
  ] as const) {
    test(`${what}: 400, and nothing changes`, async () => {
      const { move, mounts } = await fixture();
      const before = await mounts();
      await assert.rejects(move(from, to), refusal(400, text));
      assert.deepEqual(await mounts(), before);
    });
  }

  test('of parallel moves of one mount, or to one path, one is served', async () => {
    const { move, mounts } = await fixture();
    const won = async (moves: readonly Promise<Migration>[]): Promise<number> =>
      (await Promise.allSettled(moves)).filter(({ status }) => status === 'fulfilled').length;
    assert.equal(await won(['a', 'b', 'c'].map((to) => move('one', to))), 1);
    assert.equal(await won(['deep/two', 'three'].map((from) => move(from, 'd/e'))), 1);
    assert.equal((await mounts()).filter(({ path }) => ['a/', 'b/', 'c/', 'd/e/'].includes(path)).length, 2);
  });

  test('what is written meanwhile is either refused or there afterwards', async () => {
    const { server, move } = await fixture();
    const write = (i: number) => server.call('POST', `one/w${i}`, { body: { value: `${i}` } });
    const first = Array.from({ length: 10 }, (_, i) => write(i));
    const moving = move('one', 'a');
    const statuses = (await Promise.all([...first, ...Array.from({ length: 10 }, (_, i) => write(i + 10))])).map(
      ({ status }) => status,
    );
    await moving;
    for (const [i, status] of statuses.entries()) {
      assert.ok(status === 204 || status === 404, `${status}`);
      assert.equal((await server.call('GET', `a/w${i}`)).status, status === 204 ? 200 : 404, `w${i}`);
    }
  });
});

test('the last 64 migrations are known, older ones forgotten', async () => {
  const { move, find } = await fixture();
  const ids: string[] = [];
  for (let i = 0; i < 65; i++) ids.push((await move(i % 2 === 0 ? 'one' : 'a', i % 2 === 0 ? 'a' : 'one')).id);
  const known = await Promise.all(ids.map(find));
  assert.deepEqual(
    known.map((migration) => migration !== undefined),
    [false, ...Array(64).fill(true)],
  );
  assert.equal(await find('none'), undefined);
});
