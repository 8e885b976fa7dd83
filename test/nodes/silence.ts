import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../faults/client.ts';
import { startNetwork } from './network.ts';
import { until } from './node.ts';
import { assertAway, type Shared, told } from './shared.ts';

export function silence(shared: () => Shared): void {
  test('a database silent for longer than anybody waits: the state is told in time, open and sealed', async (t) => {
    const { cluster, database } = shared();
    const network = await startNetwork(database.url);
    const settings = { KEYHOLD_POSTGRES_STATEMENT_MILLIS: '60000', KEYHOLD_LOG_LEVEL: 'debug' };
    const node = await cluster.join({ database: network.url, settings });
    /** In milliseconds, of what tells the state while nothing comes through. */
    const slowest = async (): Promise<number> => {
      network.stall();
      const replies = await told(node, 503);
      for (const reply of replies) assertAway(reply, /^the store does not answer: try again$/);
      network.flow();
      return Math.max(...replies.map(({ millis }) => millis));
    };
    try {
      const open = await slowest();
      await until('it is well', async () => (await node.send('GET', 'sys/health')).status === 200);
      await node.expect(204, 'PUT', 'sys/seal');
      // Another process serves from now on; it needs the database to start.
      const serving = () => node.log().filter((event) => at(event, 'message') === 'a worker serves').length;
      await until('the next process serves', () => serving() === 2);
      const sealed = await slowest();
      assert.ok(Math.max(open, sealed) < 30_000, `${open} ${sealed} ms`);
      t.diagnostic(`slowest: ${open.toFixed()} ms open, ${sealed.toFixed()} ms sealed`);
    } finally {
      network.stop();
      await node.end();
    }
  });
}
