import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_WRITES } from '../../framework/context.ts';
import { TestMount } from './testing/mount.ts';

/** A mount with so many versions of the secret `a`, of which all are kept. */
async function mountOf(versions: number, maxWrites?: number): Promise<TestMount> {
  const m = new TestMount(maxWrites);
  await m.ask(204, 'write', 'config', { max_versions: versions });
  await m.versions(versions);
  assert.equal(m.data().length, versions);
  return m;
}

const oldest = async (m: TestMount): Promise<string | undefined> =>
  /"oldest_version":(\d+)/.exec((await m.ask(200, 'read', 'metadata/a')).text)?.[1];

// On both sides of what fits a transaction, against the limits of the store itself.
for (const [versions, purges] of [
  [MAX_WRITES, 0],
  [MAX_WRITES + 1, 1],
] as const) {
  describe(`of ${versions} versions`, () => {
    test('all but one are pruned at once, their data too or by a job', async () => {
      const m = await mountOf(versions);
      await m.ask(204, 'write', 'config', { max_versions: 1 });
      await m.ask(200, 'write', 'data/a', { data: {} });
      assert.equal(await oldest(m), `${versions + 1}`);
      for (const version of [1, versions]) await m.ask(404, 'read', 'data/a', { version });
      assert.deepEqual([m.purges, m.data().length], [purges, purges === 0 ? 1 : versions + 1]);
      await m.purge();
      assert.deepEqual(m.data(), [`a/${versions + 1}`]);
    });

    test('all are removed at once, their data too or by a job', async () => {
      const m = await mountOf(versions);
      await m.ask(204, 'remove', 'metadata/a');
      for (const path of ['metadata/a', 'data/a', 'subkeys/a']) await m.ask(404, 'read', path);
      await m.ask(404, 'list', 'metadata');
      assert.deepEqual([m.purges, m.data().length], [purges, purges === 0 ? 0 : versions]);
      await m.purge();
      assert.deepEqual(m.keys(), ['config']);
    });
  });
}

test('as many as a request may name are destroyed in one transaction', async () => {
  const m = await mountOf(MAX_WRITES);
  await m.ask(204, 'write', 'destroy/a', { versions: Array.from({ length: MAX_WRITES }, (_, i) => i + 1) });
  assert.deepEqual([m.data(), m.purges], [[], 0]);
});

describe('while a purge waits', () => {
  test('a secret made anew has nothing of the old one, and keeps what is its own', async () => {
    const m = await mountOf(3, 2);
    await m.ask(204, 'remove', 'metadata/a');
    await m.ask(200, 'write', 'data/a', { data: { new: true }, options: { cas: 0 } });
    for (const version of [2, 3]) {
      await m.ask(404, 'read', 'data/a', { version });
      await m.ask(204, 'write', 'undelete/a', { versions: [version] });
    }
    assert.deepEqual(m.data(), ['?/1', '?/2', '?/3', 'a/1']);
    await m.purge();
    assert.deepEqual(m.data(), ['a/1']);
    assert.match((await m.ask(200, 'read', 'data/a')).text, /^\{"data":\{"new":true\}/);
  });

  test('a secret goes on, is pruned again, and is removed; the purges come in any number', async () => {
    const m = await mountOf(6, 2);
    await m.ask(204, 'write', 'config', { max_versions: 4 });
    await m.versions(1);
    assert.deepEqual([await oldest(m), m.purges], ['4', 1]);
    await m.ask(204, 'write', 'config', { max_versions: 1 });
    await m.versions(1);
    assert.deepEqual([await oldest(m), m.purges], ['8', 2]);
    await m.ask(204, 'write', 'destroy/a', { versions: [1, 7, 8] });
    await m.ask(204, 'remove', 'metadata/a');
    assert.ok(m.data().length > 0);
    await m.purge();
    assert.deepEqual(m.keys(), ['config']);
  });
});

describe('64 at once', () => {
  const crowd = Array.from({ length: 64 }, (_, i) => i);

  test('writers: each its own version, the last five kept', async () => {
    const m = new TestMount(0);
    await m.ask(204, 'write', 'config', { max_versions: 5 });
    const replies = await Promise.all(crowd.map((n) => m.ask(200, 'write', 'data/a', { data: { n } })));
    const versions = replies.map(({ text }) => Number(/"version":(\d+)/.exec(text)?.[1])).sort((a, b) => a - b);
    assert.deepEqual(
      versions,
      crowd.map((i) => i + 1),
    );
    await m.purge();
    assert.deepEqual(m.data(), ['a/60', 'a/61', 'a/62', 'a/63', 'a/64']);
  });

  test('writers among removals and changes of max_versions: what is stored is what is kept', async () => {
    const m = new TestMount(0);
    const requests = crowd.map((n) => {
      if (n % 16 === 15) return m.ask(204, 'remove', 'metadata/a');
      if (n % 8 === 3) return m.ask(204, 'write', 'metadata/a', { max_versions: (n % 3) * 4 + 1 });
      return m.ask(200, 'write', 'data/a', { data: { n } });
    });
    await Promise.all([...requests, m.purge()]);
    await m.purge();
    const reply = await m.request('read', 'metadata/a');
    const kept = [...reply.text.matchAll(/"(\d+)":\{"created/g)].map(([, number]) => `a/${number}`);
    assert.deepEqual(m.data(), kept.sort());
  });
});
