import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { SealedTransaction } from '../barrier/index.ts';
import { refusal } from '../barrier/testing.ts';
import { scanJson } from '../framework/json/index.ts';
import type { Awaitable } from '../storage/store.ts';
import { TestServer } from '../sys/testing.ts';
import { rulesOf } from './mount-requests.ts';
import { settingsKind } from './mount-settings.ts';
import type { MountEntry } from './mount-table.ts';
import { disableMount, enableMount, type MountChanges, type MountRequest, tuneMount } from './mounts.ts';
import { readMounts } from './state.ts';

const NOTHING = settingsKind.parse('config', undefined);
const settings = (config: unknown) => settingsKind.parse('config', scanJson(JSON.stringify(config)));
const request = (path: string, changes: Partial<MountRequest> = {}): MountRequest => ({
  kind: 'secret',
  path,
  type: 'box',
  description: '',
  options: new Map(),
  settings: NOTHING,
  local: false,
  sealWrap: false,
  ...changes,
});
const changes = (given: Partial<MountChanges>): MountChanges => ({
  settings: NOTHING,
  description: undefined,
  options: undefined,
  ...given,
});

async function fixture() {
  const { service } = await TestServer.open();
  const rules = rulesOf(service);
  const transact = <T>(fn: (tx: SealedTransaction) => Awaitable<T>): Promise<T> => service.barrier.transact(fn);
  return {
    transact,
    rules,
    enable: (path: string, given: Partial<MountRequest> = {}): Promise<MountEntry> =>
      transact((tx) => enableMount(tx, rules, request(path, given))),
    disable: (path: string, kind: MountEntry['kind'] = 'secret'): Promise<boolean> =>
      transact((tx) => disableMount(tx, kind, path)),
    tune: (path: string, given: Partial<MountChanges>, kind: MountEntry['kind'] = 'secret'): Promise<void> =>
      transact((tx) => tuneMount(tx, rules, kind, path, changes(given))),
    mount: async (path: string): Promise<MountEntry | undefined> =>
      (await transact(readMounts)).find((entry) => entry.path === path),
    jobs: (): Promise<readonly string[]> => transact((tx) => tx.list({ prefix: 'job/', after: '', limit: 10 })),
    revision: async (): Promise<string> => String((await transact((tx) => tx.get('core/revision')))?.toString('hex')),
  };
}

describe('enabling', () => {
  test('stores an entry with an accessor and a uuid of its own, and changes the revision', async () => {
    const { enable, mount, revision } = await fixture();
    const before = await revision();
    const one = await enable('/a/b/', { description: 'mine', options: new Map([['size', 'small']]), local: true });
    assert.match(one.accessor, /^box_[0-9a-f]{8}$/);
    assert.match(one.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const { accessor, uuid } = one;
    const rest = { description: 'mine', options: { size: 'small' }, config: {}, local: true, sealWrap: false };
    assert.deepEqual(await mount('a/b/'), { path: 'a/b/', kind: 'secret', type: 'box', accessor, uuid, ...rest });
    assert.notEqual(await revision(), before);
    const two = await enable('c');
    assert.notEqual(two.uuid, one.uuid);
    assert.notEqual(two.accessor, one.accessor);
  });

  test('an alias stands for its type and options', async () => {
    const { enable } = await fixture();
    const { type, options } = await enable('a', { type: 'small-box' });
    assert.deepEqual([type, options], ['box', { size: 'small' }]);
    await enable('b', { type: 'small-box', options: new Map([['size', 'small']]) });
    const contradicting = { type: 'small-box', options: new Map([['size', 'large']]) };
    await assert.rejects(enable('c', contradicting), refusal(400, /^options: contradict the type/));
  });

  test('odd names of options are ordinary', async () => {
    const { enable, mount } = await fixture();
    await enable('a', {
      options: new Map([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    });
    assert.deepEqual(Object.entries((await mount('a/'))?.options ?? {}), [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  for (const [what, path, given, text] of [
    ['an unknown type', 'a', { type: 'nonsense' }, /^type: /],
    ['no type', 'a', { type: '' }, /^type: /],
    ['a type of the other kind', 'a', { type: 'door' }, /^type: /],
    ['a built-in type', 'a', { type: 'system' }, /^type: /],
    ['options that are none of the type', 'a', { options: new Map([['size', 'huge']]) }, /^options.size: /],
    ['a token type for a secrets engine', 'a', { settings: settings({ token_type: 'batch' }) }, /^token_type: /],
    ['a reserved path', 'sys/x', {}, /path is already in use/],
    ['the token method', 'token', { kind: 'auth', type: 'door' }, /path is already in use/],
    ['no path', '/', {}, /^path: is required/],
    ['settings without end', 'a', { description: 'x'.repeat(16 * 1024) }, /at most 16384 bytes/],
  ] as const) {
    test(`${what}: 400, and nothing changes`, async () => {
      const { enable, revision, transact } = await fixture();
      const before = await revision();
      await assert.rejects(enable(path, given), refusal(400, text));
      assert.equal(await revision(), before);
      assert.equal((await transact(readMounts)).length, 4);
    });
  }

  test('of parallel requests for one path, or nested ones, one is served', async () => {
    const { enable } = await fixture();
    const all = await Promise.allSettled(['a', 'a', 'a/b', 'a/b/c'].map((path) => enable(path)));
    assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
  });
});

describe('disabling', () => {
  test('removes the entry and stores one job; the path is free at once, under another uuid', async () => {
    const { enable, disable, mount, jobs } = await fixture();
    const { uuid } = await enable('a');
    assert.equal(await disable('/a/'), true);
    assert.equal(await mount('a/'), undefined);
    assert.equal((await jobs()).length, 1);
    assert.notEqual((await enable('a')).uuid, uuid);
  });

  test('what is not mounted is no mistake and changes nothing', async () => {
    const { enable, disable, jobs, revision } = await fixture();
    await enable('a');
    const before = await revision();
    for (const path of ['b', 'a/b', 'aa']) assert.equal(await disable(path), false);
    assert.equal(await disable('a', 'auth'), false);
    assert.equal(await revision(), before);
    assert.deepEqual(await jobs(), []);
  });

  for (const [kind, path] of [
    ['secret', 'sys'],
    ['secret', 'cubbyhole'],
    ['secret', 'identity'],
    ['secret', 'auth/x'],
    ['auth', 'token'],
  ] as const) {
    test(`${kind} ${path}: 400`, async () => {
      const { disable, transact } = await fixture();
      await assert.rejects(disable(path, kind), refusal(400, /^path: /));
      assert.equal((await transact(readMounts)).length, 4);
    });
  }
});

describe('tuning', () => {
  test('changes what is given and keeps the rest, identity above all', async () => {
    const { enable, tune, mount } = await fixture();
    const made = await enable('a', { description: 'one', settings: settings({ max_lease_ttl: '1h' }) });
    await tune('a/', { settings: settings({ default_lease_ttl: '30m' }) });
    const config = { defaultLeaseTtl: 1_800, maxLeaseTtl: 3_600 };
    assert.deepEqual(await mount('a/'), { ...made, config });
    await tune('a', { description: '' });
    assert.deepEqual(await mount('a/'), { ...made, config, description: '' });
  });

  test('options go over those there are; an empty one is removed; the engine is asked', async () => {
    const { enable, tune, mount } = await fixture();
    await enable('a', { options: new Map([['other', 'x']]) });
    await tune('a', { options: new Map([['size', 'small']]) });
    assert.deepEqual((await mount('a/'))?.options, { other: 'x', size: 'small' });
    await assert.rejects(tune('a', { options: new Map([['size', 'huge']]) }), refusal(400, /^options.size: /));
    await tune('a', { options: new Map([['other', '']]) });
    assert.deepEqual((await mount('a/'))?.options, { size: 'small' });
  });

  test('the token method has settings, but neither a token type nor options', async () => {
    const { tune, mount } = await fixture();
    await tune('token', { settings: settings({ default_lease_ttl: 60 }) }, 'auth');
    assert.deepEqual((await mount('token/'))?.config, { defaultLeaseTtl: 60 });
    await assert.rejects(
      tune('token', { settings: settings({ token_type: 'batch' }) }, 'auth'),
      refusal(400, /^token_type: /),
    );
    await assert.rejects(tune('token', { options: new Map([['a', 'b']]) }, 'auth'), refusal(400, /^options: /));
  });

  test('of the system only what audit shows in clear; settings that change nothing are no mistake', async () => {
    const { tune, mount } = await fixture();
    await tune('sys', { settings: settings({ audit_non_hmac_request_keys: 'a', audit_non_hmac_response_keys: 'b' }) });
    const config = { auditNonHmacRequestKeys: ['a'], auditNonHmacResponseKeys: ['b'] };
    assert.deepEqual((await mount('sys/'))?.config, config);
    await tune('sys', {
      settings: settings({ force_no_cache: false, default_lease_ttl: '', audit_non_hmac_request_keys: [] }),
    });
    for (const given of [{ default_lease_ttl: 60 }, { force_no_cache: true }, { listing_visibility: 'unauth' }]) {
      await assert.rejects(tune('sys', { settings: settings(given) }), refusal(400, /^path: of this mount only audit/));
    }
    await assert.rejects(tune('sys', { options: new Map([['a', 'b']]) }), refusal(400, /^options: /));
    assert.deepEqual((await mount('sys/'))?.config, { auditNonHmacResponseKeys: ['b'] });
  });

  for (const [what, path, kind] of [
    ['an unknown path', 'b', 'secret'],
    ['a path within a mount', 'a/b', 'secret'],
    ['the other kind', 'a', 'auth'],
    ['the system', 'sys', 'secret'],
  ] as const) {
    test(`${what}: 400`, async () => {
      const { enable, tune } = await fixture();
      await enable('a');
      await assert.rejects(tune(path, { description: 'x' }, kind), refusal(400, /^path: /));
    });
  }
});

/** Paths by segments; a model so plain that it is obviously right. */
class Model {
  readonly paths = new Set<string>();

  enable(path: string): boolean {
    const segments = path.split('/');
    const beneath = (a: readonly string[], b: readonly string[]) => b.every((segment, i) => a[i] === segment);
    for (const used of this.paths) {
      const other = used.split('/');
      if (beneath(segments, other) || beneath(other, segments)) return false;
    }
    this.paths.add(path);
    return true;
  }
}

test('any order of enabling and disabling leaves the mounts of the model', async () => {
  const path = fc.array(fc.constantFrom('a', 'b', 'ab', '+'), { minLength: 1, maxLength: 3 }).map((s) => s.join('/'));
  const operation = fc.record({ enable: fc.boolean(), path });
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
      const { enable, disable, transact, jobs } = await fixture();
      const model = new Model();
      let removed = 0;
      for (const { enable: enabling, path } of operations) {
        if (enabling) {
          const made = await enable(path).then(
            () => true,
            () => false,
          );
          assert.equal(made, model.enable(path), path);
        } else {
          const gone = model.paths.delete(path);
          assert.equal(await disable(path), gone, path);
          if (gone) removed += 1;
        }
      }
      const paths = (await transact(readMounts)).map((entry) => entry.path.slice(0, -1));
      assert.deepEqual(paths.sort(), ['cubbyhole', 'identity', 'sys', 'token', ...model.paths].sort());
      assert.equal((await jobs()).length, Math.min(removed, 10));
    }),
    { numRuns: 60 },
  );
});
