import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, TestServer } from '../sys/testing.ts';
import { MAX_POLICIES } from './state.ts';

const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test('a caller with more policies than are read at once is permitted nothing, and nothing fails', async () => {
  const server = await TestServer.open();
  await server.call('POST', 'sys/auth/door', { body: { type: 'door' } });
  const { json } = await server.call('POST', 'auth/door/login/ada', { token: undefined });
  const token = String(at(json, 'auth', 'client_token'));
  const member_entity_ids = [at(json, 'auth', 'entity_id')];
  const group = (name: string, policies: readonly string[]) =>
    server.call('POST', 'identity/group', { body: { name, policies, member_entity_ids } });
  // Of the token itself there are two: `default` and `maker`.
  await group('one', names('a', 256));
  await group('two', names('b', MAX_POLICIES - 256 - 2));
  assert.equal((await server.call('GET', 'auth/token/lookup-self', { token })).status, 200);
  await group('three', ['one-more']);
  assert.equal((await server.call('GET', 'auth/token/lookup-self', { token })).status, 403);
  await server.call('DELETE', 'identity/group/name/three');
  assert.equal((await server.call('GET', 'auth/token/lookup-self', { token })).status, 200);
});
