import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SealedTransaction } from '../barrier/index.ts';
import { at } from '../sys/testing.ts';
import { mergedKey } from './keys.ts';
import { MAX_GROUPS_OF_ENTITY } from './limits.ts';
import { principalOf } from './principal.ts';
import { IdentityServer } from './testing.ts';

const MOUNTS = { hasAccessor: () => true };

/** The keys that a transaction reads. */
function watched(tx: SealedTransaction, read: string[]): SealedTransaction {
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        if (name === 'get' || name === 'cached' || name === 'version') read.push(String(args[0]));
        if (name === 'getMany') read.push(...[args[0]].flat().map(String));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

async function fixture() {
  const identity = await IdentityServer.open();
  const { barrier } = identity.server.service;
  const principal = (id: string) => barrier.transact((tx) => principalOf(tx, id, MOUNTS));
  const reads = async (id: string): Promise<number> => {
    const read: string[] = [];
    await barrier.transact((tx) => {
      read.length = 0;
      return principalOf(watched(tx, read), id, MOUNTS);
    });
    return new Set(read).size;
  };
  const made = identity.made.bind(identity);
  return { identity, ask: identity.ask.bind(identity), made, principal, reads };
}

describe('whom an entity stands for', () => {
  test('policies of its own and of all its groups, sorted, each once; what templates may name', async () => {
    const { made, principal, identity } = await fixture();
    const { accessor } = await identity.gate();
    const id = await made('entity', { name: 'ada', policies: ['z', 'own'], metadata: { team: 'a' } });
    await made('entity-alias', {
      name: 'Ada',
      canonical_id: id,
      mount_accessor: accessor,
      custom_metadata: { c: '1' },
    });
    const inner = await made('group', { name: 'in', policies: ['b', 'own'], member_entity_ids: [id] });
    const outer = await made('group', {
      name: 'out',
      policies: ['a'],
      metadata: { k: 'v' },
      member_group_ids: [inner],
    });
    await made('group', { policies: ['not'] });
    const found = (await principal(id)) ?? assert.fail();
    assert.deepEqual([found.entityId, found.policies], [id, ['a', 'b', 'own', 'z']]);
    const { name, metadata, aliases, groups } = found.identity;
    assert.deepEqual([name, [...metadata]], ['ada', [['team', 'a']]]);
    const alias = aliases.get(accessor) ?? assert.fail();
    assert.deepEqual([alias.name, [...alias.customMetadata]], ['Ada', [['c', '1']]]);
    assert.deepEqual(
      groups.map((group) => [group.id, group.name, [...group.metadata]]),
      [
        [inner, 'in', []],
        [outer, 'out', [['k', 'v']]],
      ],
    );
  });

  test('nobody: gone, disabled, never there', async () => {
    const { ask, made, principal } = await fixture();
    const id = await made('entity');
    assert.equal((await principal(id))?.entityId, id);
    await ask('POST', `entity/id/${id}`, { disabled: true });
    assert.equal(await principal(id), undefined);
    await ask('POST', `entity/id/${id}`, { disabled: false });
    assert.equal((await principal(id))?.entityId, id);
    await ask('DELETE', `entity/id/${id}`);
    assert.equal(await principal(id), undefined);
    assert.equal(await principal('00000000-0000-4000-8000-000000000000'), undefined);
    assert.equal(await principal('../x'), undefined);
  });

  test('what was joined by logins at a mount that is gone counts no more, nor what stands above it', async () => {
    const { identity, made, ask } = await fixture();
    const [one, two] = [await identity.gate(), await identity.gate()];
    const id = await made('entity');
    for (const { accessor } of [one, two]) {
      await made('entity-alias', { name: 'ada', canonical_id: id, mount_accessor: accessor });
    }
    const outside = await made('group', { type: 'external', policies: ['of-group'] });
    await made('group', { policies: ['of-parent'], member_group_ids: [outside] });
    await made('group-alias', { name: 'dev', mount_accessor: one.accessor, canonical_id: outside });
    await identity.policy('of-parent', 'path "secret/x" { capabilities = ["read"] }');
    await identity.login(one.path, 'ada', { groups: ['dev'] });
    const { token, identityPolicies } = await identity.login(two.path, 'ada');
    assert.deepEqual(identityPolicies, ['of-group', 'of-parent']);
    assert.deepEqual(await identity.capabilities(token, 'secret/x'), ['read']);
    await identity.server.call('DELETE', `sys/auth/${one.path}`);
    assert.deepEqual(await identity.capabilities(token, 'secret/x'), ['deny']);
    assert.deepEqual(at(await identity.read(`entity/id/${id}`), 'group_ids'), []);
    assert.deepEqual((await identity.login(two.path, 'ada')).identityPolicies ?? [], []);
    assert.equal((await ask('GET', `group/id/${outside}`)).status, 200);
  });

  test('each change changes the version, and none keeps it', async () => {
    const { ask, made, principal } = await fixture();
    const id = await made('entity');
    const other = await made('entity');
    const group = await made('group', { member_entity_ids: [id] });
    const parent = await made('group', { member_group_ids: [group] });
    const seen = new Set<string | undefined>();
    const version = async () => (await principal(id))?.identity.version;
    for (const [path, body] of [
      [`entity/id/${id}`, { metadata: { a: '1' } }],
      [`entity/id/${id}`, { name: 'named' }],
      [`group/id/${group}`, { metadata: { a: '1' } }],
      [`group/id/${group}`, { name: 'called' }],
      [`group/id/${parent}`, { policies: ['p'] }],
      [`group/id/${parent}`, { member_group_ids: [] }],
      [`group/id/${group}`, { member_entity_ids: [] }],
    ] as const) {
      await ask('POST', path, body);
      const now = await version();
      assert.ok(!seen.has(now), path);
      seen.add(now);
      await ask('POST', `entity/id/${other}`, { metadata: { other: '1' } });
      assert.equal(await version(), now);
    }
  });

  test('one read for an entity in no group, two in many, where nothing has changed', async () => {
    const { ask, made, principal, reads } = await fixture();
    const [alone, member] = [await made('entity'), await made('entity')];
    let group = await made('group', { member_entity_ids: [member] });
    for (let i = 0; i < 20; i += 1) group = await made('group', { member_group_ids: [group] });
    await principal(member);
    assert.deepEqual([await reads(alone), await reads(member)], [1, 2]);
    await ask('POST', 'group', { member_entity_ids: [alone], name: 'another' });
    await principal(member);
    assert.deepEqual([await reads(alone), await reads(member)], [2, 2]);
    // Who joins or leaves a group changes nothing for others.
    await ask('POST', 'group/name/another', { member_entity_ids: [] });
    assert.deepEqual([await reads(alone), await reads(member)], [1, 2]);
  });

  test('in more groups than can be told: nobody', async () => {
    const { ask, made, principal } = await fixture();
    const id = await made('entity');
    const parents = (child: string, n: number) =>
      Promise.all(Array.from({ length: n }, () => made('group', { member_group_ids: [child] })));
    const groups = [];
    for (let i = 0; i < 4; i += 1) groups.push(await made('group', { member_entity_ids: [id], policies: ['p'] }));
    for (const group of groups.slice(0, 3)) await parents(group, 80);
    const [last = ''] = groups.slice(3);
    const above = await parents(last, MAX_GROUPS_OF_ENTITY - 4 - 240);
    assert.deepEqual((await principal(id))?.policies, ['p']);
    const [extra] = await parents(last, 1);
    assert.equal(await principal(id), undefined);
    await ask('DELETE', `group/id/${extra}`);
    assert.deepEqual((await principal(id))?.identity.groups.length, MAX_GROUPS_OF_ENTITY);
    assert.equal(above.length, 12);
  });
});

describe('entity/merge', () => {
  test('aliases and groups move, the other is gone, its tokens and logins are of the one that stays', async () => {
    const { identity, ask, made, principal } = await fixture();
    const [a, b] = [await identity.gate(), await identity.gate()];
    const [one, two] = [await identity.login(a.path, 'ada'), await identity.login(b.path, 'eve')];
    const group = await made('group', { policies: ['of-group'], member_entity_ids: [two.entityId] });
    await ask('POST', `entity/id/${one.entityId}`, { policies: ['of-one'] });
    await ask('POST', `entity/id/${two.entityId}`, { policies: ['of-two'], metadata: { k: 'v' } });
    const merge = { from_entity_ids: [two.entityId], to_entity_id: one.entityId };
    assert.equal(await identity.told('POST', 'entity/merge', merge), '204');
    const merged = await identity.read(`entity/id/${one.entityId}`);
    assert.deepEqual(merged['merged_entity_ids'], [two.entityId]);
    assert.deepEqual([merged['metadata'], merged['policies'], merged['group_ids']], [{}, ['of-one'], [group]]);
    assert.equal(await identity.told('GET', `entity/id/${two.entityId}`), '404');
    assert.equal((await identity.login(b.path, 'EVE')).entityId, one.entityId);
    assert.deepEqual((await identity.read(`group/id/${group}`))['member_entity_ids'], [one.entityId]);
    const found = await principal(two.entityId);
    assert.deepEqual([found?.entityId, found?.policies], [one.entityId, ['of-group', 'of-one']]);
    // Merged again, both lead to the last.
    const last = await made('entity');
    await ask('POST', 'entity/merge', { from_entity_ids: [one.entityId], to_entity_id: last });
    for (const id of [one.entityId, two.entityId]) assert.equal((await principal(id))?.entityId, last);
    await ask('DELETE', `entity/id/${last}`);
    const { barrier } = identity.server.service;
    for (const id of [one.entityId, two.entityId]) {
      assert.equal(await principal(id), undefined);
      assert.equal(await barrier.transact((tx) => tx.get(mergedKey(id))), undefined);
    }
  });

  test('two aliases at one mount: one is kept, with what it was let into', async () => {
    for (const kept of ['to', 'from'] as const) {
      const { identity, ask, made, principal } = await fixture();
      const { path, accessor } = await identity.gate();
      for (const name of ['to', 'from']) {
        const canonical_id = await made('group', { type: 'external', policies: [`of-${name}`] });
        await made('group-alias', { name, mount_accessor: accessor, canonical_id });
      }
      const to = await identity.login(path, 'ada', { groups: ['to'] });
      const from = await identity.login(path, 'eve', { groups: ['from'] });
      const request = { from_entity_ids: from.entityId, to_entity_id: to.entityId };
      const refused = await ask('POST', 'entity/merge', request);
      assert.equal(refused.status, 400);
      const aliasOf = async (name: string): Promise<string> => {
        const { data } = await ask('POST', 'lookup/entity', { alias_name: name, alias_mount_accessor: accessor });
        return String(at(data, 'aliases', '0', 'id'));
      };
      const ids = { to: await aliasOf('ada'), from: await aliasOf('eve') };
      for (const id of [ids.to, ids.from]) assert.ok(refused.text.includes(id));
      const merge = { ...request, conflicting_alias_ids_to_keep: [ids[kept]] };
      assert.equal(await identity.told('POST', 'entity/merge', merge), '204');
      const other = kept === 'to' ? ids.from : ids.to;
      assert.equal(await identity.told('GET', `entity-alias/id/${other}`), '404');
      assert.deepEqual((await principal(to.entityId))?.policies, [`of-${kept}`]);
      const dropped = kept === 'to' ? 'eve' : 'ada';
      assert.notEqual((await identity.login(path, dropped)).entityId, to.entityId);
    }
  });

  test('what is refused', async () => {
    const { identity, made } = await fixture();
    const [id, other, third] = [await made('entity'), await made('entity'), await made('entity')];
    const nobody = '00000000-0000-4000-8000-000000000000';
    for (const [body, expected] of [
      [{ from_entity_ids: [id] }, /^400 to_entity_id: /],
      [{ to_entity_id: id }, /^400 from_entity_ids: /],
      [{ to_entity_id: id, from_entity_ids: [other, id] }, /^400 from_entity_ids: /],
      [{ to_entity_id: id, from_entity_ids: [nobody] }, /^400 from_entity_ids: /],
      [{ to_entity_id: nobody, from_entity_ids: [id] }, /^400 to_entity_id: /],
      [
        { to_entity_id: id, from_entity_ids: [other, third], conflicting_alias_ids_to_keep: ['a', 'b'] },
        /^400 conflicting_alias_ids_to_keep: /,
      ],
    ] as const) {
      assert.match(await identity.told('POST', 'entity/merge', body), expected);
    }
    assert.equal(await identity.told('GET', `entity/id/${other}`), '200');
  });
});
