import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../faults/client.ts';
import { query } from './cluster.ts';
import { type Node, until } from './node.ts';
import { read, type Shared, tokenWith, write } from './shared.ts';

/** Seals of a block that a node takes at a time (barrier/usage.ts). */
const BLOCK = 2 ** 20;

export function sealing(shared: () => Shared): void {
  test('I7 a sealed node answers no secret while the others serve, and goes on as they left it', async () => {
    const { cluster } = shared();
    const node = await cluster.join();
    const policy = 'path "secret/data/i7" { capabilities = ["read"] }';
    const token = await tokenWith(node, 'i7', policy);
    await write(node, 'i7', 'before');
    let ended = false;
    const answers = Array.from({ length: 4 }, async () => {
      const seen = new Map<number, number>();
      while (!ended) {
        const { status } = await node.send('GET', 'secret/data/i7', undefined, token);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
      return seen;
    });
    await node.expect(204, 'PUT', 'sys/seal');
    for (const [method, path, body] of [
      ['GET', 'secret/data/i7'],
      ['POST', 'secret/data/i7', { data: {} }],
      ['LIST', 'secret/metadata/'],
      ['GET', 'auth/token/lookup-self'],
      ['POST', 'auth/token/create', {}],
      ['GET', 'sys/mounts'],
      ['POST', 'sys/policies/acl/i7', { policy: '' }],
      ['GET', 'sys/key-status'],
    ] as const) {
      const reply = await node.send(method, path, body);
      assert.deepEqual([reply.status, reply.json], [503, { errors: ['the server is sealed'] }], path);
    }
    assert.equal((await node.send('GET', 'sys/health')).status, 503);
    for (const other of cluster.nodes) {
      assert.equal((await other.send('GET', 'sys/health')).status, 200);
      await write(other, 'i7', 'meanwhile');
    }
    await cluster.node(0).expect(204, 'POST', 'auth/token/revoke', { token });
    await cluster.unseal(node);
    assert.equal(await read(node, 'i7'), 'meanwhile');
    assert.equal((await node.send('GET', 'secret/data/i7', undefined, token)).status, 403);
    ended = true;
    for (const seen of await Promise.all(answers)) {
      assert.deepEqual(
        [...seen.keys()].filter((status) => ![200, 503, 403].includes(status)),
        [],
      );
      assert.ok((seen.get(200) ?? 0) > 0 || (seen.get(503) ?? 0) > 0);
    }
    await node.end();
  });

  test('a term that one node begins is soon the term of all, while they write', async () => {
    const { cluster, database, schema } = shared();
    const { nodes } = cluster;
    const [first] = nodes;
    assert.ok(first !== undefined);
    const keyStatus = async (node: Node, name: string): Promise<number> =>
      Number(at(await node.expect(200, 'GET', 'sys/key-status'), 'data', name));
    /** The term that a record names, in its bytes 1 to 4. */
    const termOf = async (path: string): Promise<number> => {
      const [row] = await query(
        database.url,
        `SELECT get_byte(value, 3) * 256 + get_byte(value, 4) FROM ${schema}.records
         WHERE convert_from(key, 'UTF8') LIKE 'mount/%/m/' || $1`,
        [path],
      );
      return Number(row?.[0]);
    };
    let ended = false;
    const writers = nodes.map(async (node, n) => {
      let last = 0;
      for (; !ended; last++) await write(node, `rotated-${n}`, last + 1);
      return last;
    });
    for (const rotating of [nodes[1], nodes[2]]) {
      assert.ok(rotating !== undefined);
      const before = await keyStatus(first, 'term');
      await rotating.expect(204, 'POST', 'sys/rotate');
      // Looked up in the table first: a node that is asked for the term learns of it by that.
      for (const [n] of nodes.entries()) {
        await until('the new term seals', async () => (await termOf(`rotated-${n}`)) === before + 1);
      }
      for (const node of nodes) assert.equal(await keyStatus(node, 'term'), before + 1);
    }
    ended = true;
    const written = await Promise.all(writers);
    for (const [n, last] of written.entries()) {
      for (const node of nodes) assert.equal(await read(node, `rotated-${n}`), last);
    }
    // Nodes count apart, in blocks: each shows its own uses, and of the others all that they may have used.
    const term = await keyStatus(first, 'term');
    const [sealed] = await query(
      database.url,
      `SELECT count(*) FROM ${schema}.records WHERE octet_length(value) > 33 AND get_byte(value, 0) = 1
       AND get_byte(value, 3) * 256 + get_byte(value, 4) = $1`,
      [term],
    );
    for (const node of nodes) {
      const told = await keyStatus(node, 'encryptions');
      assert.ok(told >= Number(sealed?.[0]) && told < 16 * BLOCK, `${told} of ${sealed}`);
    }
  });
}
