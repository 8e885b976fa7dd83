import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SealedTransaction } from '../barrier/index.ts';
import { node, opened, refusal } from '../barrier/testing.ts';
import { memoryStore } from '../storage/memory.ts';
import { aliasByFactors } from './alias.ts';
import { removeAlias, writeAlias } from './alias-changes.ts';
import { findEntity } from './entity.ts';
import { writeEntity } from './entity-changes.ts';
import { findGroup } from './group.ts';
import { groupAliasById } from './group-alias.ts';
import { removeGroupAlias, writeGroupAlias } from './group-alias-changes.ts';
import { writeGroup } from './group-changes.ts';
import { MAX_LOGIN_GROUPS } from './limits.ts';
import { admitLogin, aliasEntity } from './login.ts';
import { principalOf } from './principal.ts';

const MOUNT = { accessor: 'gate_00000000' };
const MOUNTS = { hasAccessor: () => true };
const nothing = { name: undefined, metadata: undefined, policies: undefined, disabled: undefined };
const who = (alias: string, aliasMetadata: object = {}, groups: readonly string[] = []) => ({
  alias,
  aliasMetadata: new Map(Object.entries(aliasMetadata)),
  groups,
});

/** An open barrier, and how often its transactions ran. */
async function fixture(rehearse = false) {
  const store = memoryStore({ rehearse });
  const { barrier } = await opened(store);
  let runs = 0;
  const transact = <T>(fn: (tx: SealedTransaction) => Promise<T>): Promise<T> =>
    barrier.transact((tx) => {
      runs += 1;
      return fn(tx);
    });
  const login = (...args: Parameters<typeof who>): Promise<string> =>
    transact((tx) => admitLogin(tx, MOUNT, who(...args)));
  const entity = async (id: string) => (await transact(async (tx) => findEntity(tx, id))) ?? assert.fail();
  const external = async (name: string, policies: readonly string[] = [], mount = MOUNT): Promise<string> => {
    const made = { memberGroupIds: undefined, memberEntityIds: undefined, metadata: undefined, name: undefined };
    const group = await transact((tx) => writeGroup(tx, '', { ...made, type: 'external', policies }));
    const canonicalId = group?.id ?? '';
    await transact((tx) => writeGroupAlias(tx, '', { name, accessor: mount.accessor, canonicalId }, () => true));
    return canonicalId;
  };
  const policies = async (id: string) => (await transact((tx) => principalOf(tx, id, MOUNTS)))?.policies;
  return { store, transact, login, entity, external, policies, runs: () => runs };
}

describe('logins', () => {
  test('the first makes entity and alias; case does not count, the mount does', async () => {
    const { login, entity, transact } = await fixture(true);
    const id = await login('Ada', { role: 'dev' });
    const { name, aliases } = await entity(id);
    assert.match(name, /^entity_[0-9a-f]{8}$/);
    assert.deepEqual(
      aliases.map((alias) => [alias.name, alias.accessor, alias.metadata]),
      [['Ada', MOUNT.accessor, [['role', 'dev']]]],
    );
    assert.equal(await login('ADA', { role: 'dev' }), id);
    assert.notEqual(await transact((tx) => admitLogin(tx, { accessor: 'gate_1' }, who('ada'))), id);
    assert.notEqual(await login('ada '), id);
  });

  test('one that changes nothing writes nothing; metadata follows the last one', async () => {
    const { store, login, entity, external } = await fixture();
    const group = await external('dev');
    const id = await login('ada', { a: '1', b: '2' }, ['dev', 'unknown']);
    const before = store.contents();
    for (const groups of [['dev'], ['dev', 'dev', 'DEV'], ['other', 'Dev']]) {
      assert.equal(await login('ada', { b: '2', a: '1' }, groups), id);
      assert.equal(store.contents(), before);
    }
    for (const metadata of [{ a: '1' }, { a: '1', c: '3' }, {}, { a: '2' }, { a: '1' }]) {
      await login('ada', metadata, ['dev']);
      assert.deepEqual((await entity(id)).aliases[0]?.metadata, Object.entries(metadata));
    }
    const { aliases, memberships } = await entity(id);
    assert.deepEqual([aliases[0]?.metadata, memberships], [[['a', '1']], [`${group}.0`]]);
  });

  test('64 of different new users, and again, run once each', async () => {
    const { login, external, runs } = await fixture();
    await external('all');
    const users = Array.from({ length: 64 }, (_, i) => `user-${i}`);
    const before = runs();
    const ids = await Promise.all(users.map((user) => login(user, {}, ['all'])));
    assert.equal(new Set(ids).size, 64);
    assert.equal(runs() - before, 64);
    assert.deepEqual(await Promise.all(users.map((user) => login(user, { n: '1' }, ['all']))), ids);
    assert.equal(runs() - before, 128);
  });

  test('many at once of one new user make one entity', async () => {
    const { login, store } = await fixture();
    const ids = await Promise.all(Array.from({ length: 32 }, (_, i) => login(i % 2 === 0 ? 'ada' : 'Ada')));
    assert.equal(new Set(ids).size, 1);
    assert.equal([...store.contents().keys()].filter((key) => key.startsWith('identity/entity/')).length, 1);
  });

  test('the same on nodes that share a store', async () => {
    const store = memoryStore();
    const { barrier, keys } = await opened(store);
    const nodes = [barrier, (await node(store, keys)).barrier, (await node(store, keys)).barrier];
    const logins = Array.from({ length: 24 }, (_, i) =>
      nodes[i % 3]?.transact((tx) => admitLogin(tx, MOUNT, who('ada', { n: `${i % 2}` }))),
    );
    assert.equal(new Set(await Promise.all(logins)).size, 1);
  });

  test('external groups are joined and left; those of other mounts, and internal ones, are left alone', async () => {
    const { login, external, policies, transact } = await fixture(true);
    await external('dev', ['of-dev']);
    await external('ops', ['of-ops']);
    await external('dev', ['elsewhere'], { accessor: 'gate_1' });
    const id = await login('ada', {}, ['dev', 'nobody']);
    assert.deepEqual(await policies(id), ['of-dev']);
    const group = { memberGroupIds: undefined, metadata: undefined, name: undefined, type: undefined };
    await transact((tx) => writeGroup(tx, '', { ...group, policies: ['of-hand'], memberEntityIds: [id] }));
    await login('ada', {}, ['ops', 'DEV']);
    assert.deepEqual(await policies(id), ['of-dev', 'of-hand', 'of-ops']);
    await transact((tx) => writeAlias(tx, '', { ...at1('ada'), canonicalId: id }, () => true));
    await transact((tx) => admitLogin(tx, { accessor: 'gate_1' }, who('ada', {}, ['dev'])));
    assert.deepEqual(await policies(id), ['elsewhere', 'of-dev', 'of-hand', 'of-ops']);
    await transact((tx) => admitLogin(tx, MOUNT, { alias: 'ada', aliasMetadata: new Map() }));
    assert.deepEqual(await policies(id), ['elsewhere', 'of-hand']);
  });

  test('who joined by an alias of a group is out once it is renamed, moved or gone, until the next login', async () => {
    const { login, external, policies, transact } = await fixture(true);
    const group = await external('dev', ['of-dev']);
    const id = await login('ada', {}, ['dev']);
    const pointer = await transact(async (tx) => (await findGroup(tx, group))?.alias ?? assert.fail());
    const change = (changes: object) =>
      transact((tx) => {
        const unsaid = { name: '', accessor: '', canonicalId: '' };
        return writeGroupAlias(tx, pointer.id, { ...unsaid, ...changes }, () => true);
      });
    await change({ name: 'DEV' });
    assert.deepEqual(await policies(id), ['of-dev'], 'letter case is no other name');
    for (const [changes, back] of [
      [{ name: 'ops' }, ['ops']],
      [{ accessor: 'gate_1' }, []],
      [{ accessor: MOUNT.accessor }, ['ops']],
    ] as const) {
      await change(changes);
      assert.deepEqual(await policies(id), [], JSON.stringify(changes));
      await login('ada', {}, back);
      assert.deepEqual(await policies(id), back.length === 0 ? [] : ['of-dev']);
    }
    await transact(async (tx) => removeGroupAlias(tx, (await groupAliasById(tx, pointer.id)) ?? assert.fail()));
    assert.deepEqual(await policies(id), []);
    await transact((tx) =>
      writeGroupAlias(tx, '', { name: 'ops', accessor: MOUNT.accessor, canonicalId: group }, () => true),
    );
    assert.deepEqual(await policies(id), [], 'nor is it back with another alias of the same name');
    await login('ada', {}, ['ops']);
    assert.deepEqual(await policies(id), ['of-dev']);
  });

  test('an alias that leaves an entity, or is renamed, leaves behind what it was let into', async () => {
    for (const leave of ['delete', 'move', 'rename', 'other mount'] as const) {
      const { login, external, policies, transact, entity } = await fixture(true);
      await external('dev', ['of-dev']);
      await external('far', ['of-far'], { accessor: 'gate_1' });
      const id = await login('ada', {}, ['dev']);
      await transact((tx) => writeAlias(tx, '', { ...at1('ada'), canonicalId: id }, () => true));
      await transact((tx) => admitLogin(tx, { accessor: 'gate_1' }, who('ada', {}, ['far'])));
      assert.deepEqual(await policies(id), ['of-dev', 'of-far']);
      const other = await login('eve');
      await transact(async (tx) => {
        const owned = (await aliasByFactors(tx, MOUNT.accessor, 'ada')) ?? assert.fail();
        const unsaid = { name: '', accessor: '', canonicalId: '', customMetadata: undefined };
        const { id: alias } = owned.alias;
        if (leave === 'delete') await removeAlias(tx, owned);
        else if (leave === 'rename') await writeAlias(tx, alias, { ...unsaid, name: 'adele' }, () => true);
        else if (leave === 'other mount') await writeAlias(tx, alias, { ...unsaid, accessor: 'gate_2' }, () => true);
        else {
          const free = (await writeEntity(tx, '', nothing)) ?? assert.fail();
          await writeAlias(tx, alias, { ...unsaid, canonicalId: free.id }, () => true);
        }
      });
      assert.deepEqual(await policies(id), ['of-far'], leave);
      assert.equal((await entity(id)).memberships.length, 1);
      assert.deepEqual(await policies(other), []);
    }
  });

  test('a disabled entity is refused: 403, and nothing is written', async () => {
    const { login, transact, store, policies } = await fixture();
    const id = await login('ada');
    await transact((tx) => writeEntity(tx, id, { ...nothing, disabled: true }));
    const before = store.contents();
    await assert.rejects(login('ADA', { new: '1' }), refusal(403));
    assert.equal(store.contents(), before);
    assert.equal(await policies(id), undefined);
    await transact((tx) => writeEntity(tx, id, { ...nothing, disabled: false }));
    assert.equal(await login('ada'), id);
  });

  type Row = readonly [what: string, args: Parameters<typeof who>, fine: boolean];
  const many = (n: number): readonly string[] => Array.from({ length: n }, (_, i) => `g${i}`);
  const rows: readonly Row[] = [
    ['no alias', [''], false],
    ['an alias of 1,024 bytes', ['é'.repeat(512)], true],
    ['an alias of 1,025 bytes', [`${'é'.repeat(512)}x`], false],
    ['an alias with a line feed', ['a\nb'], false],
    ['an alias with odd characters', ['auth0|a/b*+{{,}} ü'], true],
    ['metadata of 64 names', ['a', Object.fromEntries(many(64).map((name) => [name, ''])), []], true],
    ['metadata of 65 names', ['a', Object.fromEntries(many(65).map((name) => [name, ''])), []], false],
    ['a value of 512 bytes', ['a', { k: 'v'.repeat(512) }], true],
    ['a value of 513 bytes', ['a', { k: 'v'.repeat(513) }], false],
    ['an empty name of metadata', ['a', { '': 'v' }], false],
    ['as many groups as may be', ['a', {}, many(MAX_LOGIN_GROUPS)], true],
    ['one more', ['a', {}, many(MAX_LOGIN_GROUPS + 1)], false],
  ];
  for (const [what, args, fine] of rows) {
    test(`${what}: ${fine ? 'let in' : 400}`, async () => {
      const { login } = await fixture();
      if (fine) assert.match(await login(...args), /^[0-9a-f-]{36}$/);
      else await assert.rejects(login(...args), refusal(400));
    });
  }
});

const at1 = (name: string) => ({ name, accessor: 'gate_1', customMetadata: undefined });

test('the entity of an alias is made where there is none, and found by logins', async () => {
  const { transact, login } = await fixture(true);
  const id = await transact((tx) => aliasEntity(tx, MOUNT.accessor, 'Robot'));
  assert.equal(await transact((tx) => aliasEntity(tx, MOUNT.accessor, 'robot')), id);
  assert.equal(await login('ROBOT'), id);
  await assert.rejects(
    transact((tx) => aliasEntity(tx, MOUNT.accessor, '')),
    refusal(400),
  );
});
