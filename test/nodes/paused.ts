import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { at } from '../faults/client.ts';
import { Cluster } from './cluster.ts';
import { Counter } from './counter.ts';
import { startNetwork } from './network.ts';
import { until } from './node.ts';
import { assertAway, read, type Shared, write } from './shared.ts';

const STATEMENT_MILLIS = 2_000;
const SETTINGS = { KEYHOLD_POSTGRES_STATEMENT_MILLIS: String(STATEMENT_MILLIS) };
const UNCONFIRMED = /did not confirm the write, which may have been made: look, then try again/;

export function paused(shared: () => Shared): void {
  test('a node that is stopped in the middle of writes holds nobody up, and works again', async (t) => {
    const { cluster } = shared();
    const node = await cluster.join({ settings: SETTINGS });
    const counters = Array.from({ length: 8 }, (_, i) => new Counter(`paused-${i}`));
    let ended = false;
    const work = Promise.all(counters.map((counter) => counter.run(node, () => ended)));
    const answers = (): number => counters.reduce((sum, counter) => sum + counter.answered, 0);
    let slowest = 0;
    for (let round = 1; round <= 2; round++) {
      const before = answers();
      await until('the node writes', () => answers() >= before + 30);
      node.signal('SIGSTOP');
      const stopped = performance.now();
      // They end while it is stopped, or never: it is woken only then.
      for (let i = 0; i < 10; i++) {
        for (const other of cluster.nodes) {
          const { status, text, millis } = await other.send('POST', 'secret/data/paused-beside', {
            data: { value: i },
          });
          assert.equal(status, 200, text);
          slowest = Math.max(slowest, millis);
        }
      }
      await pause(Math.max(0, STATEMENT_MILLIS + 200 - (performance.now() - stopped)));
      node.signal('SIGCONT');
      const woken = answers();
      await until('the node works again', () => answers() >= woken + 30);
    }
    ended = true;
    await work;
    for (const counter of counters) await counter.check(cluster.node(0));
    await node.end();
    t.diagnostic(`slowest write of the others: ${slowest.toFixed()} ms`);
  });

  test('a commit that arrives after its client was told 503 is whole, or loses to what came before it', async () => {
    const { database } = shared();
    const network = await startNetwork(database.url);
    // A store of its own, where nothing else changes what the late commit has read.
    const cluster = await Cluster.start(1, { database: database.url, schema: 'late' });
    try {
      const [other, node] = [cluster.node(0), await cluster.join({ database: network.url, settings: SETTINGS })];
      for (const overtaken of [false, true]) {
        const path = `late-${overtaken}`;
        assert.equal(await write(other, path, 'first'), 1);
        const caught = network.holdAt('commit_1');
        const reply = node.send('POST', `secret/data/${path}`, { data: { value: 'late' } });
        await caught;
        assertAway(await reply, UNCONFIRMED);
        assert.equal(await read(other, path), 'first');
        if (overtaken) assert.equal(await write(other, path, 'before it'), 2);
        network.flow();
        if (!overtaken) await until('the late commit is made', async () => (await read(other, path)) === 'late');
        assert.equal(await write(node, path, 'next'), 3);
        const second = await node.expect(200, 'GET', `secret/data/${path}?version=2`);
        assert.equal(at(second, 'data', 'data', 'value'), overtaken ? 'before it' : 'late');
      }
    } finally {
      network.stop();
      await cluster.stop();
    }
  });
}
