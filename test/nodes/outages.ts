import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startDatabase, type TestDatabase } from '../../src/storage/postgres/testing/server.ts';
import { at } from '../faults/client.ts';
import { Cluster, query } from './cluster.ts';
import { Counter } from './counter.ts';
import { type Network, startNetwork } from './network.ts';
import { type Node, until } from './node.ts';
import { assertAway, read, told, write } from './shared.ts';

const SCHEMA = 'outages';
const SILENT = /^the store does not answer: try again$/;

interface Outage {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** What a read is told; undefined where it is served. */
  readonly read: RegExp | undefined;
  readonly write: RegExp;
}

/** Bad days of the database, seen through two nodes that are never started anew. */
export function outages(): void {
  describe('a database with bad days', { concurrency: false }, () => {
    let database: TestDatabase;
    let network: Network;
    let cluster: Cluster;
    before(async () => {
      database = await startDatabase('max_connections=100');
      network = await startNetwork(database.url);
      const settings = { KEYHOLD_POSTGRES_PATIENCE_MILLIS: '300', KEYHOLD_POSTGRES_STATEMENT_MILLIS: '2000' };
      cluster = await Cluster.start(2, { database: network.url, schema: SCHEMA, settings });
    });
    after(async () => {
      await cluster?.stop();
      network?.stop();
      await database?.stop();
    });

    const sql = (text: string) => query(database.url, text);
    const endConnections = () =>
      sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'keyhold'");
    const NO_WRITES = /^the store takes no writes at present: nothing was written; try again$/;

    const days: readonly Outage[] = [
      { name: 'gone', begin: () => database.down(), end: () => database.up(), read: SILENT, write: SILENT },
      {
        name: 'silent',
        begin: async () => network.stall(),
        end: async () => network.flow(),
        ...{ read: SILENT, write: SILENT },
      },
      {
        name: 'read-only',
        begin: async () => {
          await sql('ALTER DATABASE postgres SET default_transaction_read_only = on');
          await endConnections();
        },
        end: () => sql('BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT'),
        ...{ read: undefined, write: NO_WRITES },
      },
      {
        name: 'a standby, and then promoted',
        begin: async () => {
          await database.down();
          await database.upAsStandby();
        },
        end: () => sql('SELECT pg_promote()'),
        ...{ read: SILENT, write: SILENT },
      },
      {
        name: 'full',
        begin: () =>
          sql(`CREATE FUNCTION ${SCHEMA}.full() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON ${SCHEMA}.records EXECUTE FUNCTION ${SCHEMA}.full()`),
        end: () => sql(`DROP TRIGGER full_disk ON ${SCHEMA}.records`),
        read: undefined,
        write: /^the store is full: nothing was written; free disk space and try again$/,
      },
    ];

    for (const [i, day] of days.entries()) {
      test(`${day.name}: 503 that says so, and service by itself once it is over`, async () => {
        const path = `day-${i}`;
        assert.equal(await write(cluster.node(0), path, 'before'), 1);
        await day.begin();
        const asking = cluster.nodes.flatMap((node) => [
          asked(node, path, day),
          written(node, path, day),
          states(node, day),
        ]);
        await Promise.all(asking);
        await day.end();
        for (const node of cluster.nodes) {
          await until(
            'it serves',
            async () => (await node.send('POST', 'secret/data/served', { data: {} })).status === 200,
          );
          await until('it is well', async () => (await node.send('GET', 'sys/health')).status === 200);
          assert.equal(await read(node, path), 'before');
        }
        assert.equal(await write(cluster.node(1), path, 'after'), 2, 'nothing was written meanwhile');
        for (const node of cluster.nodes) {
          assert.deepEqual(
            node.errors().filter((line) => line === 'a request failed'),
            [],
          );
          await until('its log tells', () => node.errors().includes('the database did not do what it was asked'));
        }
      });
    }

    async function asked(node: Node, path: string, day: Outage): Promise<void> {
      const reply = await node.send('GET', `secret/data/${path}`);
      if (day.read === undefined) assert.equal(reply.status, 200, reply.text);
      else assertAway(reply, day.read);
    }

    async function written(node: Node, path: string, day: Outage): Promise<void> {
      assertAway(await node.send('POST', `secret/data/${path}`, { data: { value: 'meanwhile' } }), day.write);
    }

    /** Of an open node: as a read is answered. Who leads is known without a store. */
    async function states(node: Node, day: Outage): Promise<void> {
      for (const reply of await told(node, day.read === undefined ? 200 : 503)) {
        if (day.read === undefined) assert.equal(reply.status, 200, reply.text);
        else assertAway(reply, day.read);
      }
      assert.equal((await node.send('GET', 'sys/leader')).status, 200);
    }

    test('slow: all is served, later', async () => {
      network.delay(40);
      for (const node of cluster.nodes) {
        const version = await write(node, 'slow', 'any');
        const found = await node.expect(200, 'GET', 'secret/data/slow');
        assert.equal(at(found, 'data', 'metadata', 'version'), version);
      }
      network.delay(0);
    });

    test('crashes in the midst of commits: what was answered is there, all else whole or absent', async () => {
      const counters = Array.from({ length: 12 }, (_, i) => new Counter(`crash-${i}`));
      let ended = false;
      const work = Promise.all(counters.map((counter, i) => counter.run(cluster.node(i % 2), () => ended)));
      const answers = (): number => counters.reduce((sum, counter) => sum + counter.answered, 0);
      for (let i = 0; i < 2; i++) {
        const begun = answers();
        await until('they write', () => answers() >= begun + 50);
        await database.restart(true);
      }
      const begun = answers();
      await until('they write again', () => answers() >= begun + 50);
      ended = true;
      await work;
      for (const [i, counter] of counters.entries()) await counter.check(cluster.node((i + 1) % 2));
      for (const node of cluster.nodes) {
        assert.deepEqual(
          node.errors().filter((line) => line === 'a request failed'),
          [],
        );
      }
    });

    test('silent while a node is told to stop: it ends by itself', async () => {
      network.stall();
      try {
        assert.equal(await cluster.node(1).end('SIGTERM'), 0);
      } finally {
        network.flow();
      }
    });
  });
}
