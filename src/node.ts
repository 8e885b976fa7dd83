import { methods } from './auth/index.ts';
import { Barrier, CorruptRecord, keyFileSeal, type Unsealing } from './barrier/index.ts';
import type { Config } from './config.ts';
import { mountMissing } from './core/first-state.ts';
import { type Log, Service } from './core/service.ts';
import type { StoreFolder } from './data-folder.ts';
import { type DevSecrets, openDevelopment } from './dev.ts';
import { engines } from './engines/index.ts';
import { Failure, reasonOf, systemCode } from './failure.ts';
import { Engines } from './framework/engine.ts';
import { ServiceError } from './framework/errors.ts';
import { openStore } from './open-store.ts';
import type { Store } from './storage/store.ts';
import { VERSION } from './version.ts';

/** What answers requests: a store, its barrier, and what runs on them. It listens to nobody. */
export interface Node {
  readonly service: Service;
  /** In development mode, of a node that was opened by itself. */
  readonly development: DevSecrets | undefined;
  /** Ends stored jobs at their next batch and closes the store. */
  stop(): Promise<void>;
}

export interface NodeOptions {
  readonly folder: StoreFolder;
  readonly log: Log;
  /** Shared with the other processes of the server, where there are any. */
  readonly unsealing?: Unsealing | undefined;
  /** The key of a server that is open already; the caller wipes it. */
  readonly rootKey?: Buffer | undefined;
  /** Opens what opens without an operator. */
  readonly opens: boolean;
}

/** Rejects with a `Failure` where the machine or the configuration does not allow it; all is closed again then. */
export async function startNode(config: Config, options: NodeOptions): Promise<Node> {
  const { folder, log, rootKey } = options;
  const store = await openStore(config, folder, log);
  try {
    const service = makeService(config, store, options);
    const development = options.opens ? await open(config, service, folder) : undefined;
    if (rootKey !== undefined) await service.barrier.open(rootKey);
    service.jobs.start();
    const stop = async (): Promise<void> => {
      await service.jobs.stop();
      await store.close();
    };
    return { service, development, stop };
  } catch (error) {
    await store.close();
    throw explain(error, folder);
  }
}

/** What ends the start, as a sentence where it is known what it is. */
function explain(error: unknown, folder: StoreFolder): unknown {
  if (error instanceof ServiceError) return new Failure(error.message);
  if (error instanceof CorruptRecord) return new Failure(`the data in ${folder.path} is damaged: ${error.message}`);
  // What LMDB finds of pages that are not as it wrote them.
  if (error instanceof Error && /^MDB_[A-Z_]+:/.test(error.message)) {
    return new Failure(`the data in ${folder.path} is damaged, or cannot be read: ${error.message}`);
  }
  return error;
}

function makeService(config: Config, store: Store, { log, unsealing }: NodeOptions): Service {
  const { sealKeyFile, recordCacheBytes: cacheBytes, clusterName, setupToken } = config;
  const autoSeal = sealKeyFile === undefined ? undefined : keyFileSeal(sealKeyFile);
  const report = (sentence: string, error: unknown): void => log.error(sentence, { error });
  const barrier = new Barrier(store, { autoSeal, unsealing, cacheBytes, log: report });
  const leases = { defaultTtl: config.defaultLeaseTtlSeconds, maxTtl: config.maxLeaseTtlSeconds };
  return new Service(
    barrier,
    new Engines([...engines, ...methods]),
    { version: VERSION, clusterName, leases, setupToken },
    log,
  );
}

/** Opens what opens without an operator; all else waits for its shares. */
async function open(config: Config, service: Service, folder: StoreFolder): Promise<DevSecrets | undefined> {
  if (config.dev) return openDevelopment(service, folder.path, config.devRootTokenId);
  await checkKeyFile(config);
  const { barrier, log } = service;
  const { initialized, recovery_seal: byDevice } = await barrier.status();
  if (!initialized) return undefined;
  if (byDevice !== (config.sealKeyFile !== undefined)) {
    throw new Failure(
      byDevice
        ? `seal_key_file: the data in ${folder.path} opens by a key file; name it`
        : `seal_key_file: the data in ${folder.path} opens by shares, not by a key file; leave it out`,
    );
  }
  const opened = byDevice && (await autoUnseal(service));
  if (byDevice && !opened) log.warn('an operator sealed this server: it stays sealed until unsealed');
  return undefined;
}

/** Also before init, which could not be done with a key file that is missing or open to others. */
async function checkKeyFile({ sealKeyFile }: Config): Promise<void> {
  if (sealKeyFile === undefined) return;
  try {
    await keyFileSeal(sealKeyFile).wrap(Buffer.alloc(32));
  } catch (error) {
    const reason = systemCode(error) === undefined ? reasonOf(error) : `${sealKeyFile}: ${reasonOf(error)}`;
    throw new Failure(`seal_key_file: ${reason}`);
  }
}

async function autoUnseal({ barrier }: Service): Promise<boolean> {
  try {
    const opened = await barrier.tryAutoUnseal();
    if (opened) await barrier.transact(mountMissing);
    return opened;
  } catch (error) {
    throw new Failure(`seal_key_file: the server does not open by it: ${reasonOf(error)}`);
  }
}
