import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { lockFolder } from './data-lock.ts';
import { Failure } from './failure.ts';
import { isRunning, ownIdentity } from './process-identity.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyhold-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inUse = (error: unknown): boolean =>
  error instanceof Failure && /is in use by another server/.test(error.message);
const locks = (): readonly string[] => readdirSync(folder).sort();

const MODULE = new URL('./data-lock.js', import.meta.url).href;

/** Takes the lock at the given time in another process, says so, and waits for its end. */
const TAKER = `
  const { lockFolder } = await import(process.argv[1]);
  process.stdin.once('data', () => {
    try { lockFolder(process.argv[2]); console.log('taken'); }
    catch (error) { console.log('refused', error.message); }
  });
  console.log('ready');
  setTimeout(() => {}, 60_000);
`;

/** Takes and gives back for a while; whoever finds another's mark while it holds the lock ends with an error. */
const RUSHER = `
  const { lockFolder } = await import(process.argv[1]);
  const { rmSync, writeFileSync } = await import('node:fs');
  const mark = process.argv[2] + '/mark';
  let turns = 0;
  for (const end = Date.now() + 1_500; Date.now() < end; ) {
    let lock;
    try { lock = lockFolder(process.argv[2]); }
    catch (error) { if (error.name !== 'Failure') throw error; continue; }
    writeFileSync(mark, String(process.pid), { flag: 'wx' });
    turns++;
    rmSync(mark);
    lock.release();
  }
  console.log(turns);
`;

/** The turns that one process had. */
async function rush(): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUSHER, MODULE, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (text) => {
    said += String(text);
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  return Number(said);
}

function taker() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', TAKER, MODULE, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    line: async (): Promise<string> => String((await lines.next()).value),
    go: () => child.stdin.write('go\n'),
    async kill(): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('the lock of a data folder', () => {
  test('is held once, also within a process, and can be given back', () => {
    const lock = lockFolder(folder);
    assert.throws(() => lockFolder(folder), inUse);
    lock.release();
    const next = lockFolder(folder);
    assert.throws(() => lockFolder(folder), inUse);
    next.release();
    assert.deepEqual(locks(), ['keyhold.lock.2']);
  });

  test('names its holder, who is refused nothing after kill -9', async () => {
    const first = taker();
    assert.equal(await first.line(), 'ready');
    first.go();
    assert.equal(await first.line(), 'taken');
    assert.throws(
      () => lockFolder(folder),
      (error: Error) => error.message.includes(`process ${first.pid}`) && inUse(error),
    );
    await first.kill();
    lockFolder(folder).release();
    assert.deepEqual(locks(), ['keyhold.lock.2']);
  });

  test('of a dead process goes to exactly one of many that want it at once', async () => {
    for (let round = 0; round < 3; round++) {
      const crowd = Array.from({ length: 6 }, taker);
      try {
        for (const one of crowd) assert.equal(await one.line(), 'ready');
        for (const one of crowd) one.go();
        const said = await Promise.all(crowd.map((one) => one.line()));
        assert.equal(said.filter((line) => line === 'taken').length, 1, said.join('\n'));
        assert.equal(said.filter((line) => line.includes('is in use by another server')).length, 5, said.join('\n'));
      } finally {
        await Promise.all(crowd.map((one) => one.kill()));
      }
    }
    assert.deepEqual(locks(), ['keyhold.lock.3']);
  });

  test('is never held by two, however fast it changes hands', async () => {
    const turns = await Promise.all(Array.from({ length: 4 }, rush));
    assert.ok(
      turns.every((count) => count > 0),
      turns.join(', '),
    );
    assert.equal(locks().length, 1);
  });

  const file = (): string => join(folder, 'keyhold.lock.7');
  const own = ownIdentity();
  const stale: readonly [string, string][] = [
    ['of another boot', JSON.stringify({ ...own, boot: 'x' })],
    ['of another process of this number', JSON.stringify({ ...own, started: '1' })],
    ['of another container', JSON.stringify({ ...own, namespace: 'pid:[1]' })],
    ['given back, or empty after a power cut', ''],
    ['of zeros after a power cut', '\0\0\0\0'],
    ['that is something else', '{"pid":1}'],
  ];
  for (const [name, content] of stale) {
    test(`a lock ${name} is followed`, () => {
      writeFileSync(file(), content);
      lockFolder(folder).release();
      assert.deepEqual(locks(), ['keyhold.lock.8']);
    });
  }

  test('a live lock stays as it is, and others of the folder too', () => {
    const content = JSON.stringify(own);
    writeFileSync(file(), content);
    writeFileSync(join(folder, 'keyhold.lock.x'), '');
    assert.throws(() => lockFolder(folder), inUse);
    assert.equal(readFileSync(file(), 'utf8'), content);
    assert.deepEqual(locks(), ['keyhold.lock.7', 'keyhold.lock.x']);
  });
});

test('a process is known by number, start and boot', async () => {
  const own = ownIdentity();
  assert.ok(isRunning(own));
  assert.ok(!isRunning({ ...own, started: `${own.started}0` }));
  assert.ok(!isRunning({ ...own, pid: 4_194_305 }), 'beyond the largest process number');
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  assert.ok(!isRunning({ ...own, pid: child.pid ?? 0 }));
});
