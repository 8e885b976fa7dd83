import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { at } from '../faults/client.ts';
import { Cluster, query } from './cluster.ts';
import { Node, until } from './node.ts';
import { assertAway, read, type Shared, write } from './shared.ts';

const OUTDATED = /^the store was upgraded for newer servers: this one has to be replaced$/;

/** The schema changes under running servers. */
export function versions(shared: () => Shared): void {
  test('a schema that leaves this version out: no start, and a running node answers nothing more', async () => {
    const options = { database: shared().database.url, schema: 'outdated' };
    const cluster = await Cluster.start(1, options);
    try {
      const node = cluster.node(0);
      await write(node, 'a', 'before');
      await query(options.database, 'UPDATE outdated.version SET version = 2, usable_from = 2');
      const calls = [
        ['GET', 'secret/data/a'],
        ['POST', 'secret/data/a', { data: { value: 'after' } }],
        ['LIST', 'secret/metadata/'],
        ['GET', 'sys/seal-status'],
        ['GET', 'sys/health'],
      ] as const;
      await until('health tells', async () => (await node.send('GET', 'sys/health')).status === 503);
      for (const [method, path, body] of calls) assertAway(await node.send(method, path, body), OUTDATED);
      await until('its log says what to do', () => JSON.stringify(node.log()).includes('start a newer server'));
      await assert.rejects(
        Node.start(options),
        /the node ended \(1\).*has version 2, made by a newer server; this one knows 1/s,
      );
      await query(options.database, 'UPDATE outdated.version SET version = 1, usable_from = 1');
      assert.equal(await read(node, 'a'), 'before');
    } finally {
      await cluster.stop();
    }
  });

  test('nodes of this version and of a next one share a database while it is upgraded', async () => {
    const options = { database: shared().database.url, schema: 'upgraded' };
    const cluster = await Cluster.start(1, options);
    const program = nextVersion();
    try {
      const old = cluster.node(0);
      await write(old, 'before', 1);
      await upgrade(options.database, options.schema);
      const next = await cluster.join({ main: program.main });
      const nodes = [old, next];
      assert.equal(await read(next, 'before'), 1);
      const versions = await Promise.all(
        nodes.flatMap((node) => Array.from({ length: 12 }, () => write(node, 'hot', 'any'))),
      );
      assert.deepEqual(
        versions.sort((a, b) => a - b),
        Array.from({ length: 24 }, (_, i) => i + 1),
      );
      for (const [i, node] of nodes.entries()) {
        const token = String(at(await node.expect(200, 'POST', 'auth/token/create', {}), 'auth', 'client_token'));
        for (const other of nodes)
          assert.equal((await other.send('GET', 'secret/data/hot', undefined, token)).status, 200);
        await nodes[(i + 1) % nodes.length]?.expect(204, 'POST', 'auth/token/revoke', { token });
        for (const other of nodes)
          assert.equal((await other.send('GET', 'secret/data/hot', undefined, token)).status, 403);
      }
      for (const node of nodes) assert.deepEqual(node.errors(), []);
      await removeFirst(options.database, options.schema);
      assert.equal(await write(next, 'hot', 'any'), 25);
      assertAway(await old.send('GET', 'secret/data/hot'), OUTDATED);
      assertAway(await old.send('POST', 'secret/data/hot', { data: {} }), OUTDATED);
    } finally {
      await cluster.stop();
      program.remove();
    }
  });
}

/** What an upgrade to a version that leaves the one before in does: functions of new names, and the mark. */
async function upgrade(url: string, schema: string): Promise<void> {
  const functions = await query(
    url,
    'SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1 ORDER BY p.oid',
    [schema],
  );
  assert.ok(functions.length >= 6);
  const added = functions.map(([text]) => renamed(String(text)));
  await query(url, [...added, `UPDATE ${schema}.version SET version = 2`].join(';\n'));
}

/** What an upgrade may do that leaves the first version out: it shows who still calls its functions. */
async function removeFirst(url: string, schema: string): Promise<void> {
  const found = await query(
    url,
    String.raw`SELECT format('DROP FUNCTION %s', p.oid::regprocedure) FROM pg_proc p
      JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1 AND p.proname LIKE '%\_1'`,
    [schema],
  );
  await query(url, found.join('; '));
}

const renamed = (text: string): string => text.replace(/\b(now|get|range|list|losers|commit)_1\b/g, '$1_2');

/** A copy of the program that knows version 2 of the schema, and calls its functions alone. */
function nextVersion(): { readonly main: string; remove(): void } {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-next-'));
  cpSync(join(root, 'dist/src'), join(folder, 'dist/src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const storage = join(folder, 'dist/src/storage');
  const files = readdirSync(storage, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^postgres.*\.js$/.test(name),
  );
  let marks = 0;
  for (const name of files.filter((name) => !name.includes('test'))) {
    const file = join(storage, name);
    const text = renamed(readFileSync(file, 'utf8'));
    const marked = text.replace('SCHEMA_VERSION = 1', 'SCHEMA_VERSION = 2');
    if (marked !== text) marks += 1;
    writeFileSync(file, marked);
  }
  assert.equal(marks, 1, dirname(storage));
  return { main: join(folder, 'dist/src/main.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
