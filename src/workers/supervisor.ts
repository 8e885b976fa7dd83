import { keyFileSeal, Unsealer } from '../barrier/index.ts';
import { parseAddress } from '../config/address.ts';
import type { Config } from '../config.ts';
import { openDataFolder } from '../data-folder.ts';
import type { DevSecrets } from '../dev.ts';
import { Failure, reasonOf } from '../failure.ts';
import type { LogFormat, Logger } from '../log.ts';
import { tlsOf } from '../tls-files.ts';
import { Undo } from '../undo.ts';
import { Crew } from './crew.ts';
import { Door } from './door.ts';

/** A server of one or more processes, under a supervisor that answers no requests itself. */
export interface SupervisedServer {
  /** As bound, with its scheme. */
  readonly url: string;
  readonly initialized: boolean;
  readonly sealed: boolean;
  /** In development mode only. */
  readonly development: DevSecrets | undefined;
  /** Answers what was accepted, ends the workers and gives the folder back. */
  stop(): Promise<void>;
}

/**
 * Starts the workers of a server and keeps them running. Rejects with a `Failure` where the machine or the configuration
 * does not allow it; everything that was started is ended again then.
 */
export async function superviseServer(config: Config, log: Logger, logFormat: LogFormat): Promise<SupervisedServer> {
  const tls = tlsOf(config);
  const address = parseAddress(config.listen);
  if (address === undefined) throw new Failure('listen: must be HOST:PORT');
  const folder = openDataFolder(config.data);
  if (folder.warning !== undefined) log.warn(folder.warning);
  const undo = new Undo(log);
  undo.add(() => folder.release());
  try {
    const door = new Door();
    undo.add(() => door.close());
    await door.listen(address.host, address.port).catch((error: unknown) => {
      throw new Failure(`cannot listen at ${config.listen}: ${reasonOf(error)}`);
    });
    const { sealKeyFile } = config;
    const seal = sealKeyFile === undefined ? undefined : keyFileSeal(sealKeyFile);
    const crew = new Crew({ config, logFormat, log, door, unsealing: new Unsealer(seal, () => performance.now()) });
    undo.add(() => crew.stop());
    const started = await crew.start();
    const stop = (): Promise<void> => {
      door.close();
      return undo.all();
    };
    return { ...started, url: `${tls === undefined ? 'http' : 'https'}://${door.address}`, stop };
  } catch (error) {
    await undo.all();
    throw error;
  }
}
