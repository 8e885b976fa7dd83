import { after, before } from 'node:test';
import { skip, startDatabase, type TestDatabase } from './postgres/testing/server.ts';
import { postgresStore } from './postgres.ts';
import { examine } from './suite.ts';

let database: TestDatabase;
let schemas = 0;

before(async () => {
  if (skip !== false) return;
  database = await startDatabase('max_connections=500', 'fsync=off');
});
after(async () => {
  if (skip !== false) return;
  await database.stop();
});

examine(
  'postgres',
  async () => {
    schemas += 1;
    const schema = `exam_${schemas}`;
    const open = () => postgresStore({ url: database.url, schema });
    let store = await open();
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await open();
        return store;
      },
      discard: () => store.close(),
    };
  },
  skip,
);
