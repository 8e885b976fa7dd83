import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestMount } from './testing/mount.ts';

describe('check-and-set', () => {
  const writes = [
    [0, {}, 200],
    [0, { cas: 0 }, 200],
    [0, { cas: 1 }, 400],
    [2, {}, 200],
    [2, { cas: 2 }, 200],
    [2, { cas: '2' }, 200],
    [2, { cas: 1 }, 400],
    [2, { cas: 3 }, 400],
    [2, { cas: -1 }, 400],
    [2, { cas: 0 }, 400],
    [2, { cas: null }, 400],
    [0, { cas: null }, 200],
    [2, { cas: 1.5 }, 400],
    [2, { cas: {} }, 400],
    [2, { cas: true }, 400],
  ] as const;
  for (const [before, options, status] of writes) {
    test(`${before} versions, ${JSON.stringify(options)}: ${status}`, async () => {
      const m = new TestMount();
      await m.versions(before);
      await m.ask(status, 'write', 'data/a', { data: {}, options });
      assert.equal(m.dataKeys().length, before + (status === 200 ? 1 : 0));
    });
  }

  for (const [own, engine, status] of [
    [false, false, 200],
    [true, false, 400],
    [false, true, 400],
    [true, true, 400],
  ] as const) {
    test(`required by the secret ${own}, by the engine ${engine}: without it ${status}`, async () => {
      const m = new TestMount();
      await m.versions(1);
      await m.ask(204, 'write', 'config', { cas_required: engine });
      await m.request('write', 'metadata/a', { cas_required: own });
      const refused = await m.ask(status, 'patch', 'data/a', { data: {} });
      assert.equal(refused.errors.join().includes('check-and-set parameter required for this call'), status === 400);
      await m.ask(status, 'write', 'data/a', { data: {}, options: {} });
      await m.ask(200, 'write', 'data/a', { data: {}, options: { cas: status === 200 ? 3 : 1 } });
    });
  }

  test('a patch: 0 is refused, also where it is the current version; missing is 404 before it', async () => {
    const m = new TestMount();
    await m.ask(404, 'patch', 'data/a', { data: {}, options: { cas: 0 } });
    await m.ask(204, 'write', 'metadata/a', { max_versions: 5 });
    await m.ask(400, 'patch', 'data/a', { data: {}, options: { cas: 0 } });
    await m.ask(404, 'patch', 'data/a', { data: {} });
  });

  test('the sentence that clients match on', async () => {
    const { errors } = await new TestMount().ask(400, 'write', 'data/a', { data: {}, options: { cas: 1 } });
    assert.ok(errors.join().includes('check-and-set parameter did not match the current version'));
  });
});
