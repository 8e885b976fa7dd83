import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeRecord } from '../framework/record.ts';
import { at, TestServer } from '../sys/testing.ts';
import { addPurge, type JobBarrier, Jobs } from './jobs.ts';

const MANY = 1_234;

/** A server that is told to fail the next commits; `box/` is mounted and holds MANY texts, some of them deep. */
async function fixture() {
  const faults = { next: 0, commits: 0 };
  let now = 0;
  const clock = (): number => now;
  const server = await TestServer.open({
    rehearse: false,
    clock,
    beforeCommit: () => {
      faults.commits += 1;
      if (faults.next > 0 && faults.next-- === 1) throw new Error('the disk is gone');
    },
  });
  await server.call('POST', 'sys/mounts/box', { body: { type: 'box' } });
  const uuid = String(at((await server.call('GET', 'sys/mounts/box')).json, 'uuid'));
  const folder = `mount/${uuid}/`;
  const names = Array.from({ length: MANY }, (_, i) => [`a/${i}/b/${i}`, `wide${i % 2}/${i}`, `x${i}`][i % 3]);
  for (let i = 0; i < MANY; i += 500) {
    await server.service.barrier.transact((tx) => {
      for (const name of names.slice(i, i + 500)) tx.put(folder + name, 'text');
      tx.put('mount/other', 'kept');
      tx.put(`${folder.slice(0, -1)}0`, 'kept');
      if (i === 0) tx.put(`${folder}slash/`, 'text');
    });
  }
  const left = (): number => [...server.store.contents().keys()].filter((key) => key.startsWith(folder)).length;
  const stored = (): number => [...server.store.contents().keys()].filter((key) => key.startsWith('job/')).length;
  assert.equal(left(), MANY + 1);
  const jobs = (barrier: JobBarrier = server.service.barrier): Jobs =>
    new Jobs({ ...server.service, barrier }, { clock });
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { server, faults, folder, left, stored, jobs, pass };
}

describe('purging an unmounted engine', () => {
  test('deletes all of its data and nothing else, in batches, and the record with the last', async () => {
    const { server, left, stored, jobs, folder, faults } = await fixture();
    await server.call('DELETE', 'sys/mounts/box');
    assert.equal(left(), MANY + 1, 'the transaction itself deletes nothing');
    const before = faults.commits;
    await jobs().settle();
    assert.deepEqual([left(), stored()], [0, 0]);
    assert.equal(faults.commits - before, 3);
    for (const key of ['mount/other', `${folder.slice(0, -1)}0`]) assert.ok(server.store.contents().has(key), key);
  });

  for (const failing of [1, 2, 3]) {
    test(`killed at commit ${failing}, another life finishes it (B10)`, async () => {
      const { server, faults, left, stored, jobs, pass } = await fixture();
      await server.call('DELETE', 'sys/mounts/box');
      faults.next = failing;
      await jobs().settle();
      assert.equal(left(), MANY + 1 - 500 * (failing - 1));
      assert.equal(stored(), 1);
      pass(4_000);
      await jobs().settle();
      assert.deepEqual([left(), stored()], [0, 0]);
    });
  }

  test('a mount made anew under the name sees nothing old, before, while and after (B10)', async () => {
    const { server, faults, jobs, left, pass } = await fixture();
    assert.equal((await server.call('GET', 'box/x2')).status, 200);
    await server.call('DELETE', 'sys/mounts/box');
    assert.equal((await server.call('GET', 'box/x2')).status, 404);
    await server.call('POST', 'sys/mounts/box', { body: { type: 'box' } });
    assert.equal((await server.call('GET', 'box/x2')).status, 404);
    assert.equal((await server.call('POST', 'box/new', { body: { value: 'new' } })).status, 204);
    faults.next = 2;
    await jobs().settle();
    assert.equal((await server.call('GET', 'box/x2')).status, 404);
    pass(4_000);
    await jobs().settle();
    assert.equal(left(), 0);
    assert.equal(at((await server.call('GET', 'box/new')).json, 'data', 'value'), 'new');
  });

  test('data that no longer opens is deleted like any other', async () => {
    const { server, folder, jobs, left } = await fixture();
    const raw = server.store.contents().get('core/keyring') ?? Buffer.alloc(0);
    await server.store.transact((tx) => tx.put(`${folder}damaged`, raw));
    await server.call('DELETE', 'sys/mounts/box');
    await jobs().settle();
    assert.equal(left(), 0);
  });
});

test('a purge of the keys before one leaves that and all behind it', async () => {
  const { server, folder, left, stored, jobs, faults } = await fixture();
  await server.service.barrier.transact((tx) => addPurge(tx, folder, 'x'));
  const behind = [...server.store.contents().keys()].filter((key) => key.startsWith(`${folder}x`)).length;
  const before = faults.commits;
  await jobs().settle();
  assert.deepEqual([left(), stored()], [behind, 0]);
  assert.equal(faults.commits - before, 2);
});

describe('the runner', () => {
  test('a failed job is kept, shown and logged, and tried again after 1, 2, 4 … seconds', async () => {
    const { server, faults, jobs, stored, left, pass } = await fixture();
    await server.call('DELETE', 'sys/mounts/box');
    const runner = jobs();
    for (const [failures, pause] of [
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
    ] as const) {
      faults.next = 1;
      await runner.settle();
      assert.deepEqual(
        (await runner.list()).map((job) => [job.kind, job.failures]),
        [['purge', failures]],
      );
      const before = faults.commits;
      pass(pause - 1);
      await runner.settle();
      assert.equal(faults.commits, before, 'not due yet');
      pass(1);
    }
    assert.equal(server.logged.filter((line) => line.includes('a stored job failed')).length, 3);
    await runner.settle();
    assert.deepEqual([left(), stored()], [0, 0]);
    assert.deepEqual(await runner.list(), []);
  });

  test('a batch that succeeds ends the row of failures', async () => {
    const { server, faults, jobs, pass } = await fixture();
    await server.call('DELETE', 'sys/mounts/box');
    const runner = jobs();
    for (const failing of [1, 2]) {
      faults.next = failing;
      await runner.settle();
      assert.deepEqual(
        (await runner.list()).map((job) => job.failures),
        [1],
      );
      pass(1_000);
    }
  });

  test('a job of a kind that it does not know stays, and holds no other up', async () => {
    const { server, jobs, stored, left } = await fixture();
    const record = { kind: 'later', prefix: 'x/', created: 0 };
    await server.service.barrier.transact((tx) => tx.put('job/0', encodeRecord(record)));
    await server.call('DELETE', 'sys/mounts/box');
    const runner = jobs();
    await runner.settle();
    assert.deepEqual([left(), stored()], [0, 1]);
    assert.deepEqual(await runner.list(), [{ ...record, id: '0', failures: 1 }]);
  });

  for (const step of [1, 2, 3, 4, 5, 6]) {
    test(`sealed before its step ${step} it waits in silence; opened again it goes on`, async () => {
      const { server, jobs, left, stored } = await fixture();
      const { barrier } = server.service;
      await server.call('DELETE', 'sys/mounts/box');
      let steps = 0;
      const runner = jobs({
        get sealed() {
          return barrier.sealed;
        },
        async transact(fn) {
          steps += 1;
          if (steps === step) await server.service.seal();
          return barrier.transact(fn);
        },
      });
      await runner.settle();
      assert.equal(steps, step);
      assert.equal(stored(), 1);
      assert.deepEqual(server.logged, []);
      await barrier.submit(server.unsealKey);
      await runner.settle();
      assert.deepEqual([left(), stored()], [0, 0]);
    });
  }

  test('stopped it ends after the batch under way, and starts no other', async () => {
    const { server, jobs, left, stored } = await fixture();
    await server.call('DELETE', 'sys/mounts/box');
    const runner = jobs();
    runner.start();
    await runner.stop();
    const after = left();
    assert.ok(after > 0, `${after}`);
    await runner.settle();
    assert.deepEqual([left(), stored()], [after, 1]);
  });

  test('two runners at once harm nothing', async () => {
    const { server, jobs, left, stored } = await fixture();
    await server.call('DELETE', 'sys/mounts/box');
    await Promise.all([jobs().settle(), jobs().settle()]);
    assert.deepEqual([left(), stored(), server.logged], [0, 0, []]);
  });

  test('a job that another one is at is left alone until its claim ends, and then carried on', async () => {
    const { server, faults, jobs, left, stored, pass } = await fixture();
    await server.call('DELETE', 'sys/mounts/box');
    const [one, two] = [jobs(), jobs()];
    faults.next = 2;
    await one.settle();
    assert.equal(left(), MANY + 1 - 500, 'one batch was made, and the next one failed');
    const before = faults.commits;
    pass(3_999);
    await two.settle();
    assert.equal(faults.commits, before);
    pass(1);
    await two.settle();
    assert.deepEqual([left(), stored()], [0, 0]);
  });

  test('a job that another one ended meanwhile does not come back', async () => {
    const { server, jobs, left, stored } = await fixture();
    await server.call('DELETE', 'sys/mounts/box');
    const { barrier } = server.service;
    let steps = 0;
    // Its names are read, as step 3; before it deletes them the other one does it all.
    const late = jobs({
      sealed: false,
      async transact(fn) {
        steps += 1;
        if (steps === 4) await jobs().settle();
        return barrier.transact(fn);
      },
    });
    await late.settle();
    assert.ok(steps >= 4);
    assert.deepEqual([left(), stored(), server.logged], [0, 0, []]);
  });

  test('only a folder can be purged', async () => {
    const { server } = await fixture();
    for (const prefix of ['', '/', 'mount']) {
      await assert.rejects(
        server.service.barrier.transact((tx) => addPurge(tx, prefix)),
        /a purge is of a folder/,
      );
    }
  });
});
