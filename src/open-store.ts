import { readFileSync } from 'node:fs';
import { checkFormat } from './barrier/index.ts';
import type { Config } from './config.ts';
import type { Log } from './core/service.ts';
import type { StoreFolder } from './data-folder.ts';
import { Failure, reasonOf } from './failure.ts';
import { lmdbStore } from './storage/lmdb.ts';
import { postgresStore, START_MILLIS } from './storage/postgres.ts';
import type { Store } from './storage/store.ts';
import { checkStoreFile } from './store-file.ts';

/**
 * The store that the configuration names, or a `Failure` that says why it cannot be used. A database that is away, since
 * it boots beside its servers, is waited for.
 */
export async function openStore(
  config: Config,
  folder: StoreFolder,
  log: Log,
  waitMillis: number = START_MILLIS,
): Promise<Store> {
  const { postgresUrl: url } = config;
  return url === undefined ? openEmbedded(folder, log) : openDatabase(url, config, log, waitMillis);
}

async function openEmbedded(folder: StoreFolder, log: Log): Promise<Store> {
  const path = folder.makeStore();
  checkStoreFile(path);
  return checked(`the store in ${folder.path} cannot be opened`, async () =>
    lmdbStore(path, { onError: (error) => log.error('the store did not take a write', { error }) }),
  );
}

async function openDatabase(url: string, config: Config, log: Log, waitMillis: number): Promise<Store> {
  const seconds = waitMillis / 1_000;
  const onWait = (error: unknown): void => {
    const reason = saidByDatabase(error) ?? reasonOf(error);
    log.warn(`the database does not answer: waiting for it, at most ${seconds} seconds`, { reason });
  };
  return checked('the PostgreSQL store cannot be opened', () =>
    postgresStore({
      url,
      password: passwordOf(config),
      schema: config.postgresSchema,
      poolSize: config.postgresPoolSize,
      statementMillis: config.postgresStatementMillis,
      patienceMillis: config.postgresPatienceMillis,
      startMillis: waitMillis,
      onWait,
      onError: (error) => log.error('the database did not do what it was asked', { error }),
    }),
  );
}

async function checked(what: string, open: () => Promise<Store>): Promise<Store> {
  let store: Store | undefined;
  try {
    store = await open();
    await checkFormat(store);
    return store;
  } catch (error) {
    await store?.close();
    throw new Failure(`${what}: ${saidByDatabase(error) ?? reasonOf(error)}`);
  }
}

/** What PostgreSQL says has a severity and a code of its own kind, and is a sentence. */
const saidByDatabase = (error: unknown): string | undefined =>
  error instanceof Error && 'severity' in error ? error.message : undefined;

/** Undefined where the URL has it, or none is needed. A file is read each time, so what it holds may change. */
function passwordOf({ postgresPassword, postgresPasswordFile: file }: Config): (() => string) | undefined {
  if (file !== undefined) return () => passwordIn(file);
  return postgresPassword === undefined ? undefined : () => postgresPassword;
}

function passwordIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Failure(`postgres_password_file: ${file}: ${reasonOf(error)}`);
  }
}
