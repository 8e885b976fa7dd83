import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../faults/client.ts';
import { until } from './node.ts';
import type { Shared } from './shared.ts';
import { Table } from './table.ts';

/** Some seconds of purging, so that the kill comes in the midst of it. */
const RECORDS = 60_000;

export function purge(shared: () => Shared): void {
  test('B10 a mount deleted and made anew on another node is empty; whose purge is killed, another ends it', async () => {
    const { cluster, database, schema } = shared();
    const table = new Table(database.url, schema);
    const dying = await cluster.join();
    await dying.expect(204, 'POST', 'sys/mounts/b10', { type: 'kv-v2' });
    await dying.expect(200, 'POST', 'b10/data/old', { data: { value: 'old' } });
    const uuid = String(at(await dying.expect(200, 'GET', 'sys/mounts/b10'), 'data', 'uuid'));
    const folder = `mount/${uuid}/`;
    const fill = `INSERT INTO $T SELECT convert_to('${folder}x/' || g, 'UTF8'), '\\x00', 1 FROM generate_series(1, ${RECORDS}) g`;
    await table.sql(fill);

    await dying.expect(204, 'DELETE', 'sys/mounts/b10');
    await cluster.node(0).expect(204, 'POST', 'sys/mounts/b10', { type: 'kv-v2' });
    await until('the purge has begun', async () => (await table.count(folder)) < RECORDS);
    await dying.end('SIGKILL');
    const left = await table.count(folder);
    assert.ok(left > 0, 'it was killed in the midst of its purge');
    for (const node of cluster.nodes) {
      assert.equal((await node.send('GET', 'b10/data/old')).status, 404);
      assert.equal((await node.send('GET', 'b10/metadata/old')).status, 404);
      assert.equal((await node.send('LIST', 'b10/metadata/')).status, 404);
    }
    await cluster.node(1).expect(200, 'POST', 'b10/data/old', { data: { value: 'new' } });
    await until('another node ends the purge', async () => (await table.count(folder)) === 0);
    for (const node of cluster.nodes) {
      const found = await node.expect(200, 'GET', 'b10/data/old');
      assert.equal(at(found, 'data', 'data', 'value'), 'new');
      assert.equal(at(found, 'data', 'metadata', 'version'), 1);
    }
    await until('no job is left', async () => (await table.keys('job/')).length === 0);
  });
}
