import { Client } from 'pg';
import type { TestDatabase } from '../../../src/storage/postgres/testing/server.ts';
import type { Database } from './node.ts';

/** Faults of a database that the nodes of one cluster share with nobody. */
export function faultsOf(database: TestDatabase): Database {
  return {
    async terminate() {
      const client = new Client(database.url);
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'keyhold' ORDER BY random() LIMIT 3",
        );
        await client.end();
      } catch {
        // It is away itself: then all connections are.
      }
    },
    restart: () => database.restart(true),
  };
}
