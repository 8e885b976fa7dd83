import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from './cli/testing.ts';
import { Failure } from './failure.ts';
import { lmdbStore } from './storage/lmdb.ts';
import { checkStoreFile } from './store-file.ts';

/** A folder with a store of several commits. */
async function stored(): Promise<{ folder: string; file: string }> {
  const folder = scratchFolder();
  const store = lmdbStore(folder);
  for (let i = 0; i < 20; i++) await store.transact((tx) => tx.put(`key ${i}`, Buffer.alloc(3_000, i)));
  await store.close();
  return { folder, file: join(folder, 'data.mdb') };
}

test('a sound file, an empty one and none pass', async () => {
  const { folder, file } = await stored();
  checkStoreFile(folder);
  writeFileSync(file, '');
  checkStoreFile(folder);
  checkStoreFile(scratchFolder());
});

test('what would end the process when it is mapped is refused, and left as it is', async () => {
  const { folder, file } = await stored();
  const sound = readFileSync(file);
  const refused = (expected: RegExp, content: Buffer): void => {
    writeFileSync(file, content);
    assert.throws(
      () => checkStoreFile(folder),
      (error) => error instanceof Failure && expected.test(error.message),
    );
    assert.deepEqual(readFileSync(file), content);
  };
  const changed = (offset: number, value: number): Buffer => {
    const copy = Buffer.from(sound);
    copy.writeUInt32LE(value, offset);
    return copy;
  };
  refused(/is not a store, or is damaged/, Buffer.alloc(65_536));
  refused(/is not a store, or is damaged/, Buffer.alloc(65_536, 'garbage '));
  refused(/is not a store, or is damaged/, sound.subarray(0, 100));
  refused(/is not a store, or is damaged/, changed(24, 0xbeefc0df));
  refused(/is of another version of the store/, changed(28, 1));
  refused(/is cut short or damaged/, changed(4096 + 24, 0));
  refused(/is cut short or damaged/, sound.subarray(0, 4096));
  refused(/is cut short;/, sound.subarray(0, 8192));
});

test('both sides of the last byte that is needed', async () => {
  const { folder, file } = await stored();
  const sound = readFileSync(file);
  const metas = [sound.subarray(0, 4096), sound.subarray(4096, 8192)];
  const latest = metas.reduce((a, b) => (a.readBigUInt64LE(152) > b.readBigUInt64LE(152) ? a : b));
  const roots = [88, 136].map((offset) => latest.readBigUInt64LE(offset)).filter((root) => root < 1n << 40n);
  const needed = (Math.max(...roots.map(Number)) + 1) * 4096;
  assert.ok(needed > 8192 && needed <= sound.length);
  truncateSync(file, needed);
  checkStoreFile(folder);
  truncateSync(file, needed - 1);
  assert.throws(() => checkStoreFile(folder), Failure);
});
