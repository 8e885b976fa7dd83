import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../faults/client.ts';
import type { Node } from './node.ts';
import type { Shared } from './shared.ts';

/** KV of version 1 on many nodes: its upgrade, and recursive lists that take many reads of one moment. */
export function upgrade(shared: () => Shared): void {
  test('a mount that is upgraded under writers on all nodes: each write that was acknowledged is version 1', async () => {
    const { nodes } = shared().cluster;
    const [first] = nodes;
    assert.ok(first !== undefined);
    await first.expect(204, 'POST', 'sys/mounts/up', { type: 'kv' });

    const last = new Map<string, number>();
    const writer = async (node: Node, name: string): Promise<number> => {
      for (let n = 1; ; n++) {
        const { status } = await node.send('POST', `up/f/${name}`, { n });
        if (status !== 204) return status;
        last.set(name, n);
      }
    };
    const writing = Promise.all(nodes.flatMap((node, i) => [writer(node, `a${i}`), writer(node, `b${i}`)]));
    while (last.size < 2 * nodes.length) await first.expect(200, 'GET', 'sys/mounts/up/tune');
    await first.expect(204, 'POST', 'sys/mounts/up/tune', { options: { version: '2' } });
    assert.deepEqual(await writing, Array(2 * nodes.length).fill(404), 'from then on no node serves version 1');

    for (const node of nodes) {
      for (const [name, n] of last) {
        const { data, metadata } = Object(at(await node.expect(200, 'GET', `up/data/f/${name}`), 'data'));
        assert.deepEqual([data, metadata.version], [{ n }, 1]);
      }
    }
    const again = nodes.map((node, n) => node.expect(200, 'POST', 'up/data/f/a0', { data: { n }, options: {} }));
    assert.deepEqual((await Promise.all(again)).map((json) => at(json, 'data', 'version')).sort(), [2, 3, 4]);
    for (const node of nodes) {
      const { data } = Object(at(await node.expect(200, 'GET', 'up/data/f/a0?version=1'), 'data'));
      assert.deepEqual(data, { n: last.get('a0') });
      await node.expect(400, 'POST', 'sys/mounts/up/tune', { options: { version: '1' } });
    }
    await first.expect(204, 'DELETE', 'sys/mounts/up');
  });

  test('SCAN of many folders is of one moment, on each node', async () => {
    const { nodes } = shared().cluster;
    const [first] = nodes;
    assert.ok(first !== undefined);
    await first.expect(204, 'POST', 'sys/mounts/tree', { type: 'kv' });
    const names = Array.from({ length: 60 }, (_, i) => `${String(i).padStart(3, '0')}/x/y`);
    await Promise.all(names.map((name, i) => nodes[i % nodes.length]?.expect(204, 'POST', `tree/${name}`, { i })));
    for (const node of nodes) {
      assert.deepEqual(at(await node.expect(200, 'SCAN', 'tree'), 'data', 'keys'), names);
      assert.deepEqual(
        at(await node.expect(200, 'GET', 'tree/?scan=true&after=020/x&limit=30'), 'data', 'keys'),
        names.slice(20, 50),
      );
    }
    // Of each pair of writes, one after the other, no scan shows the second alone.
    let over = false;
    const writing = (async (): Promise<void> => {
      for (let i = 0; !over; i++) {
        const name = String(i).padStart(6, '0');
        await first.expect(204, 'POST', `tree/z/${name}`, { i });
        await first.expect(204, 'POST', `tree/000/a/${name}`, { i });
      }
    })();
    for (let round = 0; round < 3; round++) {
      const node = nodes[round % nodes.length] ?? first;
      const { keys } = Object(at(await node.expect(200, 'SCAN', 'tree'), 'data'));
      const beneath = (folder: string): number => keys.filter((name: string) => name.startsWith(folder)).length;
      const behind = beneath('z/') - beneath('000/a/');
      assert.ok(behind === 0 || behind === 1, `${behind}`);
    }
    over = true;
    await writing;
    await first.expect(204, 'DELETE', 'sys/mounts/tree');
  });
}
