// Several real servers on one database: what they promise together, and on bad days.
import { after, before, describe } from 'node:test';
import { skip, startDatabase, type TestDatabase } from '../../src/storage/postgres/testing/server.ts';
import { clock } from './clock.ts';
import { Cluster } from './cluster.ts';
import { coherence } from './coherence.ts';
import { conflicts } from './conflicts.ts';
import { loginRaces } from './login-races.ts';
import { logins } from './logins.ts';
import { outages } from './outages.ts';
import { paused } from './paused.ts';
import { purge } from './purge.ts';
import { revocation } from './revocation.ts';
import { sealing } from './sealing.ts';
import type { Shared } from './shared.ts';
import { silence } from './silence.ts';
import { tampering } from './tampering.ts';
import { trees } from './trees.ts';
import { upgrade } from './upgrade.ts';
import { versions } from './versions.ts';
import { wrapping } from './wrapping.ts';

const SCHEMA = 'shared';

// Most of what they do is waiting, so all is done at once.
describe('many nodes', { skip, concurrency: true, timeout: 240_000 }, () => {
  describe('that share a database', { concurrency: 5 }, sharing);
  outages();
});

function sharing(): void {
  let database: TestDatabase;
  let cluster: Cluster | undefined;

  before(async () => {
    database = await startDatabase('max_connections=200', 'fsync=off');
    cluster = await Cluster.start(3, { database: database.url, schema: SCHEMA });
  });
  after(async () => {
    await cluster?.stop();
    await database.stop();
  });

  const shared = (): Shared => {
    if (cluster === undefined) throw new Error('the nodes have not started');
    return { database, schema: SCHEMA, cluster };
  };
  // Those that wait longest come first.
  purge(shared);
  revocation(shared);
  wrapping(shared);
  trees(shared);
  clock(shared);
  paused(shared);
  silence(shared);
  versions(shared);
  sealing(shared);
  coherence(shared);
  conflicts(shared);
  logins(shared);
  loginRaces(shared);
  upgrade(shared);
  tampering(shared);
}
