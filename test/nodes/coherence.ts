import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../faults/client.ts';
import type { Node } from './node.ts';
import { type Shared, tokenWith, write } from './shared.ts';

const READ = 'path "secret/data/d3" { capabilities = ["read"] }';
const NOTHING = 'path "secret/data/other" { capabilities = ["read"] }';

/** Changes that decide what is permitted, each made on one node and asked for on others with their very next request. */
export function coherence(shared: () => Shared): void {
  /** Asks all of these nodes at once. */
  const everywhere = async (nodes: readonly Node[], token: string, path: string): Promise<readonly number[]> =>
    Promise.all(nodes.map(async (node) => (await node.send('GET', path, undefined, token)).status));

  test('D3 a policy, a revocation, a mount and its settings: in force on all nodes with the answer', async () => {
    const { nodes } = shared().cluster;
    const three = (status: number): readonly number[] => nodes.map(() => status);
    const [first] = nodes;
    assert.ok(first !== undefined);
    await write(first, 'd3', 1);
    const token = await tokenWith(first, 'd3', READ);
    assert.deepEqual(await everywhere(nodes, token, 'secret/data/d3'), three(200));
    for (let round = 0; round < 2; round++) {
      for (const node of nodes) {
        await node.expect(204, 'POST', 'sys/policies/acl/d3', { policy: NOTHING });
        assert.deepEqual(await everywhere(nodes, token, 'secret/data/d3'), three(403));
        await node.expect(204, 'POST', 'sys/policies/acl/d3', { policy: READ });
        assert.deepEqual(await everywhere(nodes, token, 'secret/data/d3'), three(200));

        const parent = String(at(await node.expect(200, 'POST', 'auth/token/create', {}), 'auth', 'client_token'));
        const made = await node.expect(200, 'POST', 'auth/token/create', { policies: ['d3'] }, parent);
        const child = String(at(made, 'auth', 'client_token'));
        assert.deepEqual(await everywhere(nodes, child, 'secret/data/d3'), three(200));
        await node.expect(204, 'POST', 'auth/token/revoke', { token: parent });
        assert.deepEqual(await everywhere(nodes, child, 'secret/data/d3'), three(403));

        await node.expect(204, 'POST', 'sys/mounts/d3', { type: 'kv-v2' });
        await node.expect(204, 'POST', 'sys/mounts/d3/tune', { default_lease_ttl: `${round + 1}h` });
        for (const other of nodes) {
          const tuned = await other.expect(200, 'GET', 'sys/mounts/d3/tune');
          assert.equal(at(tuned, 'data', 'default_lease_ttl'), (round + 1) * 3_600);
        }
        await node.expect(200, 'POST', 'd3/data/any', { data: { round } });
        await node.expect(200, 'POST', 'sys/remount', { from: 'd3', to: 'd3-moved' });
        assert.deepEqual(await everywhere(nodes, shared().cluster.root, 'd3/data/any'), three(404));
        assert.deepEqual(await everywhere(nodes, shared().cluster.root, 'd3-moved/data/any'), three(200));
        await node.expect(204, 'DELETE', 'sys/mounts/d3-moved');
        assert.deepEqual(await everywhere(nodes, shared().cluster.root, 'd3-moved/data/any'), three(404));
      }
    }
  });

  test('D3 the same where the node is killed with its answer, also on one that starts after', async () => {
    const { cluster } = shared();
    const dying = await cluster.join();
    await write(dying, 'd3', 1);
    const [kept, revoked] = await Promise.all([
      tokenWith(dying, 'd3-killed', READ),
      tokenWith(dying, 'd3-revoked', READ),
    ]);
    assert.deepEqual(await everywhere(cluster.nodes, kept, 'secret/data/d3'), [200, 200, 200]);
    await dying.expect(204, 'POST', 'auth/token/revoke', { token: revoked });
    await dying.expect(204, 'POST', 'sys/policies/acl/d3-killed', { policy: NOTHING });
    dying.signal('SIGKILL');
    assert.deepEqual(await everywhere(cluster.nodes, kept, 'secret/data/d3'), [403, 403, 403]);
    assert.deepEqual(await everywhere(cluster.nodes, revoked, 'secret/data/d3'), [403, 403, 403]);
    await dying.end();
    const next = await cluster.join();
    assert.deepEqual(await everywhere([next], kept, 'secret/data/other'), [404]);
    assert.deepEqual(await everywhere([next], kept, 'secret/data/d3'), [403]);
    assert.deepEqual(await everywhere([next], revoked, 'secret/data/d3'), [403]);
    await next.end();
  });
}
