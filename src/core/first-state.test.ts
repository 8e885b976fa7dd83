import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Barrier } from '../barrier/index.ts';
import { DEFAULT_POLICY } from '../policies/index.ts';
import { memoryStore } from '../storage/memory.ts';
import { at, TestServer } from '../sys/testing.ts';
import { mountMissing, writeFirstState } from './first-state.ts';
import { readMounts, writeMounts } from './state.ts';

test('a fresh store holds the built-in mounts, the policy default and a root token', async () => {
  const server = await TestServer.open();
  const mounts = at((await server.call('GET', 'sys/mounts')).json, 'data');
  assert.deepEqual(Object.keys(mounts ?? {}), ['sys/', 'identity/', 'cubbyhole/']);
  assert.deepEqual(at(mounts, 'sys/', 'type'), 'system');
  const methods = at((await server.call('GET', 'sys/auth')).json, 'data');
  assert.deepEqual(Object.keys(methods ?? {}), ['token/']);
  assert.match(String(at(methods, 'token/', 'accessor')), /^token_[0-9a-f]{8}$/);
  assert.equal(at((await server.call('GET', 'sys/policies/acl/default')).json, 'policy'), DEFAULT_POLICY);
  const { json } = await server.call('GET', 'auth/token/lookup-self');
  assert.deepEqual([at(json, 'data', 'policies'), at(json, 'data', 'path')], [['root'], 'auth/token/root']);
});

test('what a store of an earlier version lacks is mounted when it is unsealed', async () => {
  const server = await TestServer.open();
  const { barrier } = server.service;
  const before = await barrier.transact(readMounts);
  const older = before.filter(({ type }) => type !== 'identity' && type !== 'cubbyhole');
  await barrier.transact((tx) => writeMounts(tx, older));
  assert.equal((await server.call('POST', 'identity/entity', { body: {} })).status, 404);
  await server.service.seal();
  const unseal = { token: undefined, body: { key: server.unsealKey.toString('base64') } };
  assert.equal(at((await server.call('POST', 'sys/unseal', unseal)).json, 'sealed'), false);
  const after = await barrier.transact(readMounts);
  assert.deepEqual(after.slice(0, older.length), older);
  assert.deepEqual(after.map(({ type }) => type).sort(), ['cubbyhole', 'identity', 'system', 'token']);
  assert.equal((await server.call('POST', 'identity/entity', { body: {} })).status, 200);
  assert.equal((await server.call('POST', 'cubbyhole/a', { body: { b: 1 } })).status, 204);
});

test('nothing is written where no mount is missing', async () => {
  const { service } = await TestServer.open();
  const revision = await service.barrier.transact((tx) => tx.version('core/revision'));
  await service.barrier.transact(mountMissing);
  assert.deepEqual(await service.barrier.transact((tx) => tx.version('core/revision')), revision);
});

test('the value of the root token may be chosen', async () => {
  const barrier = new Barrier(memoryStore({ rehearse: true }));
  const { result } = await barrier.init({ shares: 1, threshold: 1 }, (tx) => writeFirstState(tx, 'chosen'));
  assert.equal(result, 'chosen');
});

test('the cluster keeps its identity over a seal, and two clusters have two', async () => {
  const [one, two] = [await TestServer.open(), await TestServer.open()];
  const id = async (server: TestServer): Promise<unknown> =>
    at((await server.call('GET', 'sys/health', { token: undefined })).json, 'cluster_id');
  const first = await id(one);
  assert.match(String(first), /^[0-9a-f-]{36}$/);
  await one.service.seal();
  assert.equal(await id(one), undefined);
  await one.service.barrier.submit(one.unsealKey);
  assert.equal(await id(one), first);
  assert.notEqual(await id(two), first);
});
