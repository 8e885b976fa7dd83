import { Barrier, CorruptRecord, keyFileSeal } from './barrier/index.ts';
import { parseAddress } from './config/address.ts';
import { type Config, limitsOf } from './config.ts';
import { handle } from './core/handle.ts';
import { type Log, Service } from './core/service.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { type DevSecrets, openDevelopment } from './dev.ts';
import { engines } from './engines/index.ts';
import { Failure, reasonOf, systemCode } from './failure.ts';
import { Engines } from './framework/engine.ts';
import { ServiceError } from './framework/errors.ts';
import { type Listener, listen } from './http/listener.ts';
import { openStore } from './open-store.ts';
import type { Store } from './storage/store.ts';
import { readTlsFiles, type TlsPair } from './tls-files.ts';
import { VERSION } from './version.ts';

export interface RunningServer {
  /** As bound: host:port. */
  readonly address: string;
  /** `address` with its scheme. */
  readonly url: string;
  readonly service: Service;
  /** In development mode only. */
  readonly development: DevSecrets | undefined;
  /** Answers what was accepted, then closes the store and gives the folder back. */
  stop(): Promise<void>;
}

/**
 * Starts a server: the only wiring there is. Rejects with a `Failure` where the machine or the configuration does not
 * allow it; everything that was opened is closed again then.
 */
export async function startServer(config: Config, log: Log): Promise<RunningServer> {
  const tls = tlsOf(config);
  const folder = openDataFolder(config.data);
  if (folder.warning !== undefined) log.warn(folder.warning);
  const undo: (() => Promise<void> | void)[] = [() => folder.release()];
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= closeAll(undo, log);
    return stopping;
  };
  try {
    const store = await openStore(config, folder, log);
    undo.push(() => store.close());
    const service = makeService(config, store, log);
    const development = await open(config, service, folder);
    service.jobs.start();
    undo.push(() => service.jobs.stop());
    const listener = await startListener(config, service, tls);
    undo.push(() => listener.stop(config.stopGraceMillis));
    const { address, secure } = listener;
    return { address, url: `${secure ? 'https' : 'http'}://${address}`, service, development, stop };
  } catch (error) {
    await stop();
    throw explain(error, folder);
  }
}

/** What ends the start, as a sentence where it is known what it is. */
function explain(error: unknown, folder: DataFolder): unknown {
  if (error instanceof ServiceError) return new Failure(error.message);
  if (error instanceof CorruptRecord) return new Failure(`the data in ${folder.path} is damaged: ${error.message}`);
  return error;
}

/** Closes in reverse order what was opened; one that fails keeps no other from being closed. */
async function closeAll(undo: readonly (() => Promise<void> | void)[], log: Log): Promise<void> {
  for (const close of undo.toReversed()) {
    try {
      await close();
    } catch (error) {
      log.error('something could not be closed', { error });
    }
  }
}

function tlsOf({ tlsCert, tlsKey }: Config): TlsPair | undefined {
  return tlsCert === undefined || tlsKey === undefined ? undefined : readTlsFiles(tlsCert, tlsKey);
}

function makeService(config: Config, store: Store, log: Log): Service {
  const { sealKeyFile, recordCacheBytes: cacheBytes, clusterName, setupToken } = config;
  const autoSeal = sealKeyFile === undefined ? undefined : keyFileSeal(sealKeyFile);
  const report = (sentence: string, error: unknown): void => log.error(sentence, { error });
  const barrier = new Barrier(store, { autoSeal, cacheBytes, log: report });
  const leases = { defaultTtl: config.defaultLeaseTtlSeconds, maxTtl: config.maxLeaseTtlSeconds };
  return new Service(barrier, new Engines(engines), { version: VERSION, clusterName, leases, setupToken }, log);
}

/** Opens what opens without an operator; all else waits for its shares. */
async function open(config: Config, service: Service, folder: DataFolder): Promise<DevSecrets | undefined> {
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
    return await barrier.tryAutoUnseal();
  } catch (error) {
    throw new Failure(`seal_key_file: the server does not open by it: ${reasonOf(error)}`);
  }
}

async function startListener(config: Config, service: Service, tls: TlsPair | undefined): Promise<Listener> {
  const address = parseAddress(config.listen);
  if (address === undefined) throw new Failure('listen: must be HOST:PORT');
  try {
    return await listen({
      ...address,
      handler: (request) => handle(service, request),
      limits: limitsOf(config),
      ...(tls === undefined ? {} : { tls }),
    });
  } catch (error) {
    throw new Failure(`cannot listen at ${config.listen}: ${reasonOf(error)}`);
  }
}
