import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../faults/client.ts';
import { until } from './node.ts';
import type { Shared } from './shared.ts';
import { Table } from './table.ts';

/** Some seconds of work, so that the kill comes in the midst of it: names of tokens that are not there any more. */
const LISTED = 5_000;
const TOKENS = 40;

export function revocation(shared: () => Shared): void {
  test('B10 what one node ends below a path no node honours any more; whose job is killed, another ends it', async () => {
    const { cluster, database, schema } = shared();
    const table = new Table(database.url, schema);
    const dying = await cluster.join();
    const role = 'auth/token/create/ending';
    const options = { allowed_policies: ['default'] };
    await dying.send('POST', 'auth/token/roles/ending', options);
    const make = async (node: typeof dying): Promise<string> =>
      String(at(await node.expect(200, 'POST', role, { policies: ['default'] }), 'auth', 'client_token'));
    const tokens = await Promise.all(Array.from({ length: TOKENS }, (_, i) => make(cluster.node(i % 3))));
    const uuid = String(at(await dying.expect(200, 'GET', 'sys/auth/token'), 'data', 'uuid'));
    const folder = `lease-of/${uuid}/create/ending/`;
    const fill = `INSERT INTO $T SELECT convert_to('${folder}h' || lpad(g::text, 56, '0'), 'UTF8'), '\\x00', 1 FROM generate_series(1, ${LISTED}) g`;
    await table.sql(fill);

    const began = performance.now();
    await dying.expect(204, 'PUT', `sys/leases/revoke-prefix/${role}`);
    const millis = performance.now() - began;
    const status = async (node: typeof dying, token: string): Promise<number> =>
      (await node.send('GET', 'auth/token/lookup-self', undefined, token)).status;
    const allDead = async (): Promise<void> => {
      for (const node of cluster.nodes) {
        const statuses = await Promise.all(tokens.map((token) => status(node, token)));
        assert.deepEqual(new Set(statuses), new Set([403]));
      }
    };
    await allDead();
    assert.ok(millis < 10_000, `${millis} ms`);
    const survivor = await make(cluster.node(1));
    await until('the job has begun', async () => (await table.count(folder)) < LISTED);
    await dying.end('SIGKILL');
    const left = await table.count(folder);
    assert.ok(left > 1, 'it was killed in the midst of its job');
    await allDead();
    await until('another node ends the job', async () => (await table.count(folder)) === 1);
    await until('no job is left', async () => (await table.keys('job/')).length === 0);
    await allDead();
    for (const node of cluster.nodes) assert.equal(await status(node, survivor), 200);
  });
}
