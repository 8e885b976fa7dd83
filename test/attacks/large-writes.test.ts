// G2, R5: what is as large as it may be is done, what is larger is a mistake with a sentence, and nothing is a fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noContent } from '../../src/framework/answer.ts';
import { write } from '../../src/framework/endpoint.ts';
import type { Engine, Variant } from '../../src/framework/engine.ts';
import { string, stringList } from '../../src/framework/kinds/index.ts';
import { NO_TERMS } from '../../src/framework/token-terms.ts';
import { at, TestServer } from '../../src/sys/testing.ts';

/** Lets everybody in, with the groups they say they are of. */
const crowds: Variant = {
  endpoints: [
    write(
      'login/:name',
      { summary: 'Log in', params: { name: string(), groups: stringList([]) }, access: 'none' },
      ({ name, groups }) => ({
        login: {
          ...{ alias: name, aliasMetadata: new Map(), groups, displayName: name, metadata: new Map() },
          ...{ terms: NO_TERMS, renewal: name },
        },
      }),
    ),
    write('nothing', { summary: 'Nothing', params: {} }, () => noContent),
  ],
};
const crowd: Engine = { type: 'crowd', kind: 'auth', summary: 'Lets in', variant: () => crowds };

const server = await TestServer.open({ rehearse: false }, [crowd]);

async function made(path: string, body: object): Promise<string> {
  const { json, status, text } = await server.call('POST', `identity/${path}`, { body });
  assert.equal(status, 200, text);
  return String(at(json, 'data', 'id'));
}

const many = (kind: string, count: number, of: (i: number) => object): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => made(kind, of(i))));

const status = async (method: string, path: string, body?: object): Promise<number> =>
  (await server.call(method, `identity/${path}`, body === undefined ? {} : { body })).status;

const entities = await many('entity', 300, () => ({}));
const groups = await many('group', 257, () => ({}));

test('members of a group, entities and groups, change as many as a transaction takes', async () => {
  const group = await made('group', {});
  const path = `group/id/${group}`;
  const change = (from: number, to: number, groupsFrom: number, groupsTo: number) =>
    status('POST', path, {
      member_entity_ids: entities.slice(from, to),
      member_group_ids: groups.slice(groupsFrom, groupsTo),
    });
  assert.equal(await change(0, 200, 0, 1), 400);
  assert.equal(await change(0, 201, 0, 0), 400);
  assert.equal(await change(0, 100, 0, 100), 204);
  assert.equal(await change(50, 150, 50, 150), 204);
  assert.equal(await change(50, 150, 150, 251), 400);
  assert.equal(await change(200, 300, 50, 150), 204);
  assert.equal(await change(200, 300, 50, 178), 204);
  assert.equal(await change(200, 300, 50, 179), 400);
  assert.equal(await status('DELETE', path), 204);
});

test('a group is in as many groups as go with it', async () => {
  const member = await made('group', {});
  const above = await many('group', 128, () => ({ member_group_ids: [member] }));
  assert.equal(await status('POST', 'group', { member_group_ids: [member] }), 400);
  const { json } = await server.call('GET', `identity/group/id/${member}`);
  assert.deepEqual(new Set(Object.values(Object(at(json, 'data', 'parent_group_ids')))), new Set(above));
  assert.equal(await status('POST', `group/id/${member}`, { member_group_ids: groups.slice(0, 1) }), 400, 'too deep');
  assert.equal(await status('DELETE', `group/id/${member}`), 204);
  for (const id of above.slice(0, 2)) {
    const { json } = await server.call('GET', `identity/group/id/${id}`);
    assert.deepEqual(at(json, 'data', 'member_group_ids'), []);
  }
});

test('a login leaves and joins as many groups as an entity may be in', async () => {
  await server.call('POST', 'sys/auth/crowd', { body: { type: 'crowd' } });
  const { json } = await server.call('GET', 'sys/auth/crowd');
  const mount_accessor = at(json, 'data', 'accessor');
  const external = await many('group', 256, (i) => ({ name: `g${i}`, type: 'external' }));
  await Promise.all(
    external.map((canonical_id, i) => made('group-alias', { name: `g${i}`, mount_accessor, canonical_id })),
  );
  const names = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, i) => `g${from + i}`);
  const logIn = async (groups: readonly string[]) =>
    (await server.call('POST', 'auth/crowd/login/ada', { token: undefined, body: { groups } })).status;
  const nobody = Array.from({ length: 257 }, (_, i) => `nobody-${i}`);
  assert.equal(await logIn(names(0, 128)), 200);
  assert.equal(await logIn([...names(128, 256), ...nobody.slice(0, 128)]), 200);
  assert.equal(await logIn(names(0, 129)), 400);
  assert.equal(await logIn(nobody.slice(0, 256)), 200);
  assert.equal(await logIn(nobody), 400);
});

test('none of it was a fault of the server', () => {
  assert.deepEqual(
    server.logged.filter((line) => line.startsWith('a request failed')),
    [],
  );
});
