import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../faults/client.ts';
import type { Node, Reply } from './node.ts';
import { assertAway, read, type Shared, tokenWith, write } from './shared.ts';

const CLIENTS = 8;
const EACH = 4;

/** Every request changes the same record: each is done once, or refused with 503 and not done at all. */
export function conflicts(shared: () => Shared): void {
  /** `CLIENTS` on each node at once, `EACH` requests one after the other. */
  const hammer = async (send: (node: Node, name: string) => Promise<Reply>): Promise<readonly Reply[]> => {
    const clients = shared().cluster.nodes.flatMap((node, n) =>
      Array.from({ length: CLIENTS }, async (_, client) => {
        const replies: Reply[] = [];
        for (let i = 0; i < EACH; i++) replies.push(await send(node, `${n}-${client}-${i}`));
        return replies;
      }),
    );
    return (await Promise.all(clients)).flat();
  };
  /** How many were done; all others must say that they were not. */
  const done = (replies: readonly Reply[], status: number): number => {
    const refused = replies.filter((reply) => reply.status !== status);
    for (const reply of refused) assertAway(reply, /^too many requests change the same data at once: try again$/);
    assert.ok(refused.length < replies.length / 2, `${refused.length} of ${replies.length} were refused`);
    return replies.length - refused.length;
  };

  test('writes without cas to one secret from all nodes: as many versions as answers', async (t) => {
    const replies = await hammer((node, name) => node.send('POST', 'secret/data/hot', { data: { name } }));
    const written = done(replies, 200);
    const versions = replies.flatMap(({ status, json }) => (status === 200 ? [at(json, 'data', 'version')] : []));
    assert.equal(new Set(versions).size, written, 'no version is told twice');
    const metadata = await shared().cluster.node(1).expect(200, 'GET', 'secret/metadata/hot');
    assert.equal(at(metadata, 'data', 'current_version'), written);
    t.diagnostic(
      `${written} of ${replies.length}, slowest ${Math.max(...replies.map(({ millis }) => millis)).toFixed()} ms`,
    );
  });

  test('patches of one secret from all nodes: each answered one is in it', async () => {
    await write(shared().cluster.node(0), 'patched', 0);
    const names: string[] = [];
    const replies = await hammer(async (node, name) => {
      const reply = await node.send('PATCH', 'secret/data/patched', { data: { [name]: true } });
      if (reply.status === 200) names.push(name);
      return reply;
    });
    done(replies, 200);
    const { json } = await shared().cluster.node(2).send('GET', 'secret/data/patched');
    assert.deepEqual(Object.keys(Object(at(json, 'data', 'data'))).sort(), ['value', ...names].sort());
    assert.equal(at(json, 'data', 'metadata', 'version'), names.length + 1);
    assert.equal(await read(shared().cluster.node(0), 'patched'), 0);
  });

  test('uses of one token over all nodes: each answered one is counted, no other', async () => {
    const uses = 1_000;
    const [first] = shared().cluster.nodes;
    assert.ok(first !== undefined);
    const policy = 'path "auth/token/lookup-self" { capabilities = ["read"] }';
    const token = await tokenWith(first, 'counted', policy, { num_uses: uses });
    const used = done(await hammer((node) => node.send('GET', 'auth/token/lookup-self', undefined, token)), 200);
    const left = await first.expect(200, 'POST', 'auth/token/lookup', { token });
    assert.equal(at(left, 'data', 'num_uses'), uses - used);
  });
}
