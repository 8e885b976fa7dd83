import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openDataFolder } from './data-folder.ts';
import { Failure } from './failure.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'keyhold-folder-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

const mode = (path: string): number => statSync(path).mode & 0o777;

function folder(bits: number, ...names: string[]): string {
  const path = join(parent, 'data');
  mkdirSync(path);
  for (const name of names) writeFileSync(join(path, name), '');
  chmodSync(path, bits);
  return path;
}

function refusal(path: string): string {
  try {
    openDataFolder(path);
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exitCode, 1);
    return error.message;
  }
  throw new assert.AssertionError({ message: 'was not refused' });
}

test('a missing folder is made, with those above it, for its owner alone', () => {
  const path = join(parent, 'a', 'b');
  const opened = openDataFolder(path);
  assert.deepEqual([mode(path), mode(opened.makeStore()), mode(join(path, 'keyhold.lock.1'))], [0o700, 0o700, 0o600]);
  assert.equal(opened.warning, undefined);
  assert.match(refusal(path), /is in use by another server/);
  opened.release();
  openDataFolder(path).release();
});

test('an empty folder that is open to others is closed to them', () => {
  const path = folder(0o777);
  const opened = openDataFolder(path);
  assert.equal(mode(path), 0o700);
  opened.release();
});

test('a folder with something in it stays as it is: listed by others is warned of, changed by others is refused', () => {
  const readable = folder(0o755, 'x');
  const opened = openDataFolder(readable);
  assert.match(opened.warning ?? '', /can be listed by other users of this machine: chmod 700/);
  assert.equal(mode(readable), 0o755);
  opened.release();
  for (const bits of [0o720, 0o702]) {
    chmodSync(readable, bits);
    const before = readdirSync(readable);
    assert.match(refusal(readable), /can be changed by other users of this machine: chmod 700/);
    assert.deepEqual(readdirSync(readable), before);
  }
});

test('what is no folder, or cannot be made, is said in words', () => {
  writeFileSync(join(parent, 'file'), '');
  assert.match(refusal(join(parent, 'file')), /cannot be used: /);
  assert.match(refusal(join(parent, 'file', 'data')), /cannot be used: a part of the path is not a folder$/);
  assert.match(refusal('/proc/keyhold'), /cannot be used: /);
});
