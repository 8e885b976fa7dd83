import { parseAddress } from './config/address.ts';
import { type Config, limitsOf } from './config.ts';
import { handle } from './core/handle.ts';
import type { Log, Service } from './core/service.ts';
import { openDataFolder } from './data-folder.ts';
import type { DevSecrets } from './dev.ts';
import { Failure, reasonOf } from './failure.ts';
import { type Listener, listen } from './http/listener.ts';
import { startNode } from './node.ts';
import { type TlsPair, tlsOf } from './tls-files.ts';
import { Undo } from './undo.ts';

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
 * Starts a server that is this process alone. Rejects with a `Failure` where the machine or the configuration does not
 * allow it; everything that was opened is closed again then.
 */
export async function startServer(config: Config, log: Log): Promise<RunningServer> {
  const tls = tlsOf(config);
  const folder = openDataFolder(config.data);
  if (folder.warning !== undefined) log.warn(folder.warning);
  const undo = new Undo(log);
  undo.add(() => folder.release());
  try {
    const node = await startNode(config, { folder, log, opens: true });
    undo.add(() => node.stop());
    const { service, development } = node;
    const listener = await startListener(config, service, tls);
    undo.add(() => listener.stop(config.stopGraceMillis));
    const { address, secure } = listener;
    const url = `${secure ? 'https' : 'http'}://${address}`;
    return { address, url, service, development, stop: () => undo.all() };
  } catch (error) {
    await undo.all();
    throw error;
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
