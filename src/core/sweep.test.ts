import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MemoryOptions } from '../storage/memory.ts';
import { at, TestServer } from '../sys/testing.ts';
import { DUE_QUEUES } from '../tokens/due.ts';
import { Jobs } from './jobs.ts';

const START = Date.parse('2026-01-02T03:04:05Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** An open server with a clock of its own, and what is stored of tokens beyond those it was opened with. */
async function open(options: MemoryOptions = {}) {
  let now = START;
  const server = await TestServer.open({ clock: () => now, ...options });
  const keys = (): readonly string[] => [...server.store.contents().keys()].sort();
  const { service } = server;
  const make = async (body: object, token = server.root): Promise<string> => {
    const { json, text } = await server.call('POST', 'auth/token/create', { body, token });
    assert.equal(typeof at(json, 'auth', 'client_token'), 'string', text);
    return String(at(json, 'auth', 'client_token'));
  };
  return {
    server,
    service,
    clock: () => now,
    make,
    /** A token that may do everything and ends after an hour, or never. */
    root: (ttl = '1h', parent = server.root) => make({ policies: ['root'], ttl }, parent),
    pass: (millis: number): void => {
      now += millis;
    },
    hide: (token: string, path = 'a') => server.call('POST', `cubbyhole/${path}`, { token, body: { x: 1 } }),
    wrap: async (ttl: string): Promise<string> => {
      const { json } = await server.call('POST', 'sys/wrapping/wrap', {
        body: {},
        headers: { 'x-service-wrap-ttl': ttl },
      });
      return String(at(json, 'wrap_info', 'token'));
    },
    status: async (token: string, path = 'cubbyhole/a') => (await server.call('GET', path, { token })).status,
    /** Lets a runner of jobs, of its own, do all that is due. */
    settle: () => new Jobs(service, { clock: () => now }).settle(),
    stored: (folder: string): number => keys().filter((key) => key.startsWith(folder)).length,
    keys,
  };
}

describe('a wrapped answer that nobody fetched', () => {
  test('goes with its token, once its time is up and not before', async () => {
    const { wrap, pass, settle, stored, keys } = await open();
    const before = keys();
    for (const ttl of ['1h', '1h', '2h']) await wrap(ttl);
    pass(HOUR - 1);
    await settle();
    assert.equal(stored('wrapped/'), 3);
    pass(1);
    await settle();
    assert.deepEqual([stored('wrapped/'), stored('due/')], [1, 1]);
    pass(HOUR);
    await settle();
    assert.deepEqual(
      keys().filter((key) => !key.startsWith('core/sweep/')),
      before,
    );
  });

  test('many of one time go in one look, by several runners at once', async () => {
    const { wrap, pass, settle, stored } = await open();
    for (let i = 0; i < 70; i++) await wrap('1h');
    assert.equal(stored('due/'), 70);
    pass(HOUR);
    await Promise.all([settle(), settle(), settle()]);
    // One that found another at work leaves it alone.
    await settle();
    assert.deepEqual([stored('wrapped/'), stored('due/')], [0, 0]);
  });

  test('is left alone while another sweeps, for as long as its claim holds', async () => {
    const { server, wrap, pass, settle, stored } = await open();
    await wrap('1h');
    pass(HOUR);
    const claim = { by: 'another', until: START + HOUR + 4_000 };
    await server.service.barrier.transact((tx) => {
      for (const folder of DUE_QUEUES.flat()) {
        tx.put(`core/sweep/${folder.slice(0, -1).replaceAll('/', '-')}`, JSON.stringify(claim));
      }
    });
    await settle();
    assert.equal(stored('wrapped/'), 1);
    pass(4_000);
    await settle();
    assert.equal(stored('wrapped/'), 0);
  });

  test('is removed by the next life where a sweep failed', async () => {
    let failing = false;
    const { wrap, pass, settle, stored, server } = await open({
      beforeCommit: () => {
        if (failing) throw new Error('the disk is gone');
      },
    });
    await wrap('1h');
    pass(HOUR);
    failing = true;
    await settle();
    assert.match(server.logged.at(-1) ?? '', /tokens and leases that ended/);
    failing = false;
    assert.equal(stored('wrapped/'), 1);
    await settle();
    assert.equal(stored('wrapped/'), 0);
  });
});

describe('a cubbyhole', () => {
  const ends: readonly (readonly [string, (fixture: Awaited<ReturnType<typeof open>>, token: string) => unknown])[] = [
    ['revoked', ({ server }, token) => server.call('POST', 'auth/token/revoke', { body: { token } })],
    ['revoked by itself', ({ server }, token) => server.call('POST', 'auth/token/revoke-self', { token })],
    ['expired', ({ pass }) => pass(HOUR)],
  ];
  for (const [how, end] of ends) {
    test(`is out of reach at once and then gone where its token is ${how}`, async () => {
      const fixture = await open();
      const { root, hide, status, settle, stored, keys } = fixture;
      const before = keys();
      const token = await root();
      for (const path of ['a', 'b/c', 'b/d/e']) assert.equal((await hide(token, path)).status, 204);
      assert.equal(await status(token), 200);
      await end(fixture, token);
      assert.equal(await status(token), 403);
      assert.equal(stored('mount/'), 3);
      await settle();
      assert.deepEqual(
        keys().filter((key) => !key.startsWith('core/sweep/')),
        before,
      );
    });
  }

  test('goes with the last use of a token, which may still read it', async () => {
    const { make, hide, status, settle, stored } = await open();
    const token = await make({ policies: ['default'], num_uses: 3 });
    assert.equal((await hide(token)).status, 204);
    assert.equal(await status(token), 200);
    assert.equal(await status(token), 200);
    assert.equal(await status(token), 403);
    await settle();
    assert.deepEqual([stored('mount/'), stored('due/')], [0, 0]);
  });

  test('takes nothing in the last use of a token, refused or not, which ends all the same', async () => {
    for (const uses of [1, 2]) {
      const { make, hide, status, settle, stored } = await open();
      const token = await make({ policies: ['default'], num_uses: uses });
      if (uses === 2) assert.equal((await hide(token)).status, 204);
      const { status: last, json } = await hide(token, 'b');
      assert.equal(last, 400);
      assert.match(String(at(json, 'errors', '0')), /last use of the token/);
      assert.equal(await status(token), 403);
      await settle();
      assert.deepEqual([stored('mount/'), stored('due/')], [0, 0]);
    }
  });

  test('of more records than one transaction removes goes too', async () => {
    const { root, server, hide, settle, stored, keys } = await open();
    const token = await root();
    await hide(token, 'many/a');
    const key = keys().find((key) => key.endsWith('/many/a')) ?? assert.fail('nothing is stored');
    for (const page of [0, 1, 2]) {
      await server.service.barrier.transact((tx) => {
        for (let i = 0; i < 400; i++) tx.put(`${key}${page}${i}`, '{}');
      });
    }
    await server.call('POST', 'auth/token/revoke', { body: { token } });
    await settle();
    assert.equal(stored('mount/'), 0);
  });

  for (const [how, ttl] of [
    ['revoked', '0'],
    ['expired', '30m'],
  ] as const) {
    test(`of a token whose parent is ${how} is out of reach at once, and gone within a day`, async () => {
      const { make, root, server, hide, status, pass, settle, stored, keys } = await open();
      const before = keys();
      const parent = ttl === '0' ? await make({ policies: ['root'] }) : await root(ttl);
      const child = await make({ policies: ['root'], ttl: '2h' }, parent);
      const grandchild = await make({ policies: ['default'], ttl: '2h' }, child);
      for (const token of [child, grandchild]) assert.equal((await hide(token)).status, 204);
      if (ttl === '0') await server.call('POST', 'auth/token/revoke', { body: { token: parent } });
      else pass(HOUR / 2);
      for (const token of [child, grandchild]) assert.equal(await status(token), 403);
      await settle();
      pass(DAY);
      await settle();
      assert.deepEqual([stored('mount/'), stored('due/')], [0, 0]);
      assert.equal(stored('token/') - before.filter((key) => key.startsWith('token/')).length, 0);
    });
  }

  test('of a token that lives on stays, however often it is looked at', async () => {
    const { make, hide, status, pass, settle, stored } = await open();
    const parent = await make({ policies: ['root'] });
    const child = await make({ policies: ['root'] }, parent);
    for (const token of [parent, child]) assert.equal((await hide(token)).status, 204);
    for (let day = 0; day < 3; day++) {
      pass(DAY);
      await settle();
      assert.deepEqual([await status(parent), await status(child)], [200, 200]);
      assert.equal(stored('due/'), 2);
    }
  });

  test('of an earlier token of the same value is not found, nor removed with it', async () => {
    const { make, server, hide, status, settle, stored } = await open();
    for (let life = 0; life < 2; life++) {
      const token = await make({ id: 'chosen', policies: ['root'] });
      assert.equal(await status(token), 404);
      assert.equal((await hide(token)).status, 204);
      if (life === 1) await settle();
      assert.equal(await status(token), 200);
      if (life === 0) await server.call('POST', 'auth/token/revoke', { body: { token } });
    }
    assert.equal(stored('mount/'), 1);
  });
});

describe('a token that has expired', () => {
  test('is removed with all that names it, once its time is up and not before', async () => {
    const { make, pass, settle, keys } = await open();
    const before = keys();
    for (const ttl of ['1h', '1h', '2h']) await make({ policies: ['default'], ttl });
    pass(HOUR - 1);
    await settle();
    const full = keys().length;
    pass(1);
    await settle();
    const swept = keys().filter((key) => !key.startsWith('core/sweep/')).length;
    assert.ok(swept < full && swept > before.length);
    pass(HOUR);
    await settle();
    assert.deepEqual(
      keys().filter((key) => !key.startsWith('core/sweep/')),
      before,
    );
  });

  test('is not, where it was renewed: its note has moved', async () => {
    const { server, make, pass, settle, stored } = await open();
    const token = await make({ policies: ['default'], ttl: '1h' });
    for (let hour = 0; hour < 3; hour++) {
      pass(HOUR / 2);
      const { status } = await server.call('POST', 'auth/token/renew-self', { token, body: { increment: '1h' } });
      assert.equal(status, hour < 3 ? 200 : 400);
      await settle();
      assert.equal(stored('due/'), 1);
    }
    pass(HOUR / 2 - 1);
    await settle();
    assert.deepEqual([stored('due/'), stored('token/')], [1, 2]);
    pass(1);
    await settle();
    assert.deepEqual([stored('due/'), stored('token/')], [0, 1]);
  });

  test('goes with many others at no more than a thousand in a second', async () => {
    const { make, pass, settle, stored } = await open({ rehearse: false });
    for (let i = 0; i < 200; i++) await make({ policies: ['default'], ttl: '1h' });
    pass(HOUR);
    const start = performance.now();
    await settle();
    const millis = performance.now() - start;
    assert.equal(stored('due/'), 0);
    // The first and the last some are not waited for.
    assert.ok(millis >= 160, `${millis} ms`);
  });
});

describe('what is damaged stands in no other one’s way', () => {
  for (const what of ['note', 'token'] as const) {
    for (const count of [1, 20]) {
      test(`${count} of a ${what}, at the head of the notes`, async () => {
        const { server, make, pass, settle, stored, keys } = await open({ rehearse: false });
        const before = new Set(keys());
        for (let i = 0; i < count; i++) await make({ policies: ['default'], ttl: '30m' });
        const folder = what === 'note' ? 'due/' : 'token/';
        const damaged = keys().filter((key) => key.startsWith(folder) && !before.has(key));
        const raw = server.store.contents().get('core/revision') ?? Buffer.alloc(0);
        for (let i = 0; i < 40; i++) await make({ policies: ['default'], ttl: '1h' });
        await server.store.transact((tx) => {
          for (const key of damaged) tx.put(key, raw);
        });
        pass(HOUR);
        await settle();
        assert.ok(stored('due/') <= count, `${stored('due/')} notes are left`);
        assert.ok(stored('due/') > 0);
        assert.equal(server.logged.filter((line) => line.includes('could not be followed')).length, stored('due/'));
      });
    }
  }

  test('it is tried again after 5, 10, 20 … seconds', async () => {
    const { server, make, pass, keys, service, clock } = await open({ rehearse: false });
    await make({ policies: ['default'], ttl: '1h' });
    const [note] = keys().filter((key) => key.startsWith('due/'));
    const good = server.store.contents().get(note ?? '') ?? Buffer.alloc(0);
    const raw = server.store.contents().get('core/revision') ?? Buffer.alloc(0);
    const put = (value: Buffer) => server.store.transact((tx) => tx.put(note ?? '', value));
    await put(raw);
    pass(HOUR);
    const runner = new Jobs(service, { clock });
    const tries = (): number => server.logged.filter((line) => line.includes('could not be followed')).length;
    for (const [seconds, expected] of [
      [0, 1],
      [4.999, 1],
      [0.001, 2],
      [9.999, 2],
      [0.001, 3],
    ] as const) {
      pass(seconds * 1_000);
      await runner.settle();
      assert.equal(tries(), expected);
    }
    await put(good);
    pass(20_000);
    await runner.settle();
    assert.deepEqual(
      keys().filter((key) => key.startsWith('due/')),
      [],
    );
  });
});

test('a note of an earlier version, which had no shards, is followed where it lies', async () => {
  const { server, make, pass, settle, stored, keys } = await open();
  await make({ policies: ['default'], ttl: '1h' });
  const { barrier } = server.service;
  const [note = ''] = keys().filter((key) => key.startsWith('due/'));
  const former = `due/${note.slice(note.lastIndexOf('/') + 1)}`;
  await barrier.transact(async (tx) => {
    const [token = ''] = (await tx.list({ prefix: 'token/', after: '', limit: 9 }))
      .map((name) => `token/${name}`)
      .filter((key) => note.endsWith(key.slice(6)));
    const record = JSON.parse(String(await tx.get(token)));
    tx.put(former, (await tx.get(note)) ?? '');
    tx.delete(note);
    tx.put(token, JSON.stringify({ ...record, due: former }));
  });
  pass(HOUR - 1);
  await settle();
  assert.equal(stored('due/'), 1);
  pass(1);
  await settle();
  assert.deepEqual([stored('due/'), stored('token/')], [0, 1]);
});

test('several runners share the folders of notes', async () => {
  const { make, pass, service, clock, stored, server } = await open({ rehearse: false });
  for (let i = 0; i < 120; i++) await make({ policies: ['default'], ttl: '1h' });
  pass(HOUR);
  await Promise.all([1, 2, 3].map(() => new Jobs(service, { clock }).settle()));
  const claims = [...server.store.contents().keys()].filter((key) => key.startsWith('core/sweep/'));
  const holders = new Set<unknown>();
  await service.barrier.transact(async (tx) => {
    for (const key of claims) holders.add(JSON.parse(String(await tx.get(key))).by);
  });
  assert.ok(holders.size > 1, `${holders.size}`);
  pass(4_001);
  await new Jobs(service, { clock }).settle();
  assert.equal(stored('due/'), 0);
});
