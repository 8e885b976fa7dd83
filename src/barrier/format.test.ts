import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../storage/memory.ts';
import { checkFormat } from './format.ts';
import { FORMAT } from './names.ts';
import { opened, rawGet, rawPut } from './testing.ts';

test('an empty store passes, and one that was initialized', async () => {
  const store = memoryStore();
  await checkFormat(store);
  await opened(store);
  assert.equal((await rawGet(store, FORMAT)).toString(), 'keyhold 1');
  await checkFormat(store);
});

for (const found of ['keyhold 2', 'keyhold 1 ', 'keyhold', '', 'x'.repeat(10_000)]) {
  test(`data of another version is refused: ${found.slice(0, 12)}`, async () => {
    const store = memoryStore();
    await opened(store);
    await rawPut(store, FORMAT, Buffer.from(found));
    await assert.rejects(checkFormat(store), (error) => {
      assert.ok(error instanceof Error && error.message.length < 200);
      return /^data of another version: found .*"keyhold 1"$/.test(error.message);
    });
  });
}

test('data without a version is refused', async () => {
  const store = memoryStore();
  await rawPut(store, 'a/b', Buffer.from('x'));
  await assert.rejects(checkFormat(store), /core\/format is missing/);
});
