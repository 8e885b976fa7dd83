import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { at, HttpClient } from './client.ts';
import { Crew } from './crew.ts';
import { type Life, live } from './life.ts';
import { Random } from './random.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyhold-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'keyhold-test', folder]).status === 0;
process.once('exit', () => {
  if (mounted) spawnSync('umount', ['--lazy', folder]);
  rmSync(folder, { recursive: true, force: true });
});

/** Takes all space that is left. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w', 0o600);
  const piece = Buffer.alloc(4_096, 1);
  try {
    while (writeSync(descriptor, piece) === piece.length);
  } catch (error) {
    assert.match(String(error), /ENOSPC/);
  } finally {
    closeSync(descriptor);
  }
}

async function workFor(
  crew: Crew,
  client: HttpClient,
  millis: number,
): Promise<{ acknowledged: number; refused: number }> {
  const before = { ...crew.tally };
  let stop = false;
  const work = crew.work(client, () => stop);
  await pause(millis);
  stop = true;
  await work;
  const { acknowledged, refused } = crew.tally;
  return { acknowledged: acknowledged - before.acknowledged, refused: refused - before.refused };
}

const skip = mounted ? false : 'only root may mount a small file system';

test('a full disk: writes are 503, reads go on, nothing is lost, and freed space is used', {
  skip,
  timeout: 60_000,
}, async () => {
  const data = join(folder, 'data');
  const filler = join(folder, 'filler');
  let life: Life = await live(data);
  let client = new HttpClient(life.url);
  const crew = new Crew(new Random(5), 12);
  try {
    assert.equal((await workFor(crew, client, 300)).refused, 0);

    fill(filler);
    const body = { data: { large: 'x'.repeat(500_000) } };
    const { status, json } = await client.send({ method: 'POST', path: 'secret/data/large', body });
    assert.equal(status, 503);
    assert.match(String(at(json, 'errors', '0')), /nothing was written.*free disk space/);
    const full = await workFor(crew, client, 300);
    assert.ok(full.refused > 0, 'the disk is not full');
    await crew.check(client, true);

    rmSync(filler);
    const after = await workFor(crew, client, 300);
    assert.ok(after.acknowledged > 0 && after.refused === 0, JSON.stringify(after));

    fill(filler);
    await workFor(crew, client, 100);
    client.close();
    await life.end('SIGKILL');
    rmSync(filler);
    life = await live(data);
    client = new HttpClient(life.url);
    await crew.check(client, true);
  } finally {
    client.close();
    await life.end('SIGKILL');
    rmSync(filler, { force: true });
  }
});

test('what the store writes by mapping has no holes, whose filling would kill the process on a full disk', async () => {
  const data = join(folder, 'holes');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const life = await live(data);
  const { size, blocks } = statSync(join(data, 'store', 'lock.mdb'));
  await life.end('SIGKILL');
  assert.ok(blocks * 512 >= size, `${blocks * 512} of ${size} bytes are on the disk`);
});
