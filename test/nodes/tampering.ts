import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { at } from '../faults/client.ts';
import type { Cluster } from './cluster.ts';
import { until } from './node.ts';
import { type Shared, tokenWith } from './shared.ts';
import { Table } from './table.ts';

const CANARY = 'kanarienvogel';
const READ_A = 'path "i6/data/a" { capabilities = ["read"] }';

/** Whoever can change the table gets no value out of it, moves none, and is noticed by every node. */
export function tampering(shared: () => Shared): void {
  test('I6 records altered or moved in the table: 500 and a line in the log of each node, and no value', async () => {
    const { cluster, database, schema } = shared();
    const table = new Table(database.url, schema);
    const first = cluster.node(0);
    await first.expect(204, 'POST', 'sys/mounts/i6', { type: 'kv-v2' });
    const uuid = String(at(await first.expect(200, 'GET', 'sys/mounts/i6'), 'data', 'uuid'));
    const metadata = (name: string): string => `mount/${uuid}/m/${name}`;
    const [a, b] = [await dataOf('a'), await dataOf('b')];
    await first.expect(204, 'POST', 'sys/policies/acl/i6-strong', { policy: 'path "i6/*" { policy = "sudo" }' });
    // Other tests make tokens too; this one's record is known by its size.
    const weak = await tokenWith(first, 'i6', READ_A, { meta: { size: 'x'.repeat(3_000) } });
    const large =
      "SELECT convert_from(key, 'UTF8') FROM $T WHERE convert_from(key, 'UTF8') LIKE 'token/%' AND octet_length(value) > 3000";
    const [[token] = []] = await table.sql(large);

    const tampered = (keys: readonly string[], change: () => Promise<void>, names: readonly string[], by?: string) =>
      noticed(cluster, table, { keys, change, names, by });
    await tampered([a], () => table.flip(a), ['a']);
    await tampered([metadata('a')], () => table.flip(metadata('a')), ['a']);
    await tampered([String(token)], () => table.flip(String(token)), ['a'], weak);
    await tampered([a, b], () => table.swap(a, b), ['a', 'b']);
    const both = [metadata('a'), metadata('b')];
    await tampered(both, () => table.swap(metadata('a'), metadata('b')), ['a', 'b']);
    await tampered([a], () => table.replace(a, Buffer.alloc(0)), ['a']);
    // Another policy in the place of the token's own: met where it is compiled anew, which a change of any policy causes.
    const stronger = async (): Promise<void> => {
      await table.replace('policy/i6', await table.value('policy/i6-strong'));
      await first.expect(204, 'POST', 'sys/policies/acl/i6-other', { policy: READ_A });
    };
    await tampered(['policy/i6'], stronger, ['a'], weak);

    /** Writes a secret, and tells where its data lies. */
    async function dataOf(name: string): Promise<string> {
      const folder = `mount/${uuid}/d/`;
      const before = new Set(await table.keys(folder));
      await first.expect(200, 'POST', `i6/data/${name}`, { data: { value: `${CANARY}-${name}` } });
      const [key, ...more] = (await table.keys(folder)).filter((one) => !before.has(one));
      assert.ok(key !== undefined && more.length === 0);
      return key;
    }
  });

  test('I6 an older record of the same key is a valid one, as the threat model says; nothing else comes of it', async () => {
    const { cluster, database, schema } = shared();
    const table = new Table(database.url, schema);
    const first = cluster.node(0);
    await first.expect(204, 'POST', 'sys/mounts/i6-old', { type: 'kv-v2' });
    const uuid = String(at(await first.expect(200, 'GET', 'sys/mounts/i6-old'), 'data', 'uuid'));
    const put = (value: string) => first.expect(200, 'POST', 'i6-old/data/a', { data: { value } });
    await put('first');
    const older = await table.value(`mount/${uuid}/m/a`);
    await put('second');
    await table.replace(`mount/${uuid}/m/a`, older);
    for (const node of cluster.nodes) {
      assert.equal(at(await node.expect(200, 'GET', 'i6-old/data/a'), 'data', 'data', 'value'), 'first');
      assert.equal((await node.send('GET', 'i6-old/data/a?version=2')).status, 404);
    }
  });
}

interface Tampering {
  /** What is changed, and put back in the end. */
  readonly keys: readonly string[];
  readonly change: () => Promise<void>;
  /** Secrets that can be read before and after, and not between. */
  readonly names: readonly string[];
  readonly by: string | undefined;
}

/** Every node has read the records before, and must not go by what it remembers of them. */
async function noticed(
  cluster: Cluster,
  table: Table,
  { keys, change, names, by = cluster.root }: Tampering,
): Promise<void> {
  const read = async (status: number): Promise<void> => {
    for (const name of names) {
      for (const node of cluster.nodes) {
        const reply = await node.send('GET', `i6/data/${name}`, undefined, by);
        assert.equal(reply.status, status, `${keys}: ${reply.text}`);
        assert.equal(reply.text.includes(CANARY), status === 200, reply.text);
      }
    }
  };
  const faults = (): readonly number[] =>
    cluster.nodes.map((node) => node.errors().filter((line) => line === 'a request failed').length);
  await read(200);
  const saved = await Promise.all(keys.map(async (key) => ({ key, value: await table.value(key) })));
  const before = faults();
  await change();
  await read(500);
  const expected = before.map((count) => count + names.length);
  await until('each fault is logged', () => isDeepStrictEqual(faults(), expected));
  for (const node of cluster.nodes) assert.ok(!JSON.stringify(node.log()).includes(CANARY));
  for (const { key, value } of saved) await table.replace(key, value);
  await read(200);
}
