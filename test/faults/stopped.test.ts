import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpClient } from './client.ts';
import { Crew } from './crew.ts';
import { live } from './life.ts';
import { Random } from './random.ts';

test('a server that is stopped for a second in the middle of writes goes on as if nothing had been', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-stopped-'));
  const life = await live(folder);
  const client = new HttpClient(life.url);
  try {
    const crew = new Crew(new Random(3), 12);
    let stop = false;
    const work = crew.work(client, () => stop);
    const answered: number[] = [];
    for (const millis of [120, 70]) {
      await pause(millis);
      life.signal('SIGSTOP');
      await pause(50);
      const before = crew.tally.acknowledged;
      await pause(1_000);
      assert.equal(crew.tally.acknowledged, before, 'it answers though it is stopped');
      life.signal('SIGCONT');
      await pause(300);
      answered.push(crew.tally.acknowledged - before);
    }
    stop = true;
    await work;
    assert.ok(
      answered.every((count) => count > 0),
      `answers after each stop: ${answered}`,
    );
    const unknown = await crew.check(client, true);
    assert.deepEqual(unknown, { found: 0, absent: 0 }, 'no request was cut');
    assert.equal(crew.tally.refused, 0);
  } finally {
    client.close();
    life.signal('SIGCONT');
    await life.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
