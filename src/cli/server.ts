import { constants } from 'node:os';
import { unknownVariables } from '../config/variables.ts';
import { type Config, loadConfig, SETTINGS } from '../config.ts';
import { devFile } from '../dev.ts';
import { EXIT } from '../failure.ts';
import { endOnFault } from '../fault.ts';
import { createLog, type Logger } from '../log.ts';
import { VERSION } from '../version.ts';
import { type SupervisedServer, superviseServer } from '../workers/supervisor.ts';
import { CLIENT_SETTINGS } from './client.ts';
import { describeSettings } from './help.ts';
import type { Command, Io } from './io.ts';

const SUMMARY = 'Runs the server until SIGTERM or SIGINT; a second signal ends it at once.';

export const server: Command = {
  name: 'server',
  summary: SUMMARY,
  help: () =>
    `keyhold server [flags]\n${SUMMARY}\n\nEach flag is a variable too (KEYHOLD_LISTEN) and a setting of the TOML file (listen); flags win over variables over the file.\n\n${describeSettings(SETTINGS)}`,
  async run(args, io) {
    const config = loadConfig(args, io.environment);
    const logFormat = io.terminal ? 'text' : 'json';
    const log = createLog({ level: config.logLevel, format: logFormat, write: io.err });
    for (const name of unknownVariables(io.environment, [SETTINGS, CLIENT_SETTINGS])) {
      log.warn('there is no setting of this name: the variable is ignored', { variable: name });
    }
    // Whatever the server makes is its own user's alone.
    process.umask(0o077);
    endOnFault(log);
    const stopped = firstSignal();
    const running = await superviseServer(config, log, logFormat);
    announce(running, config, log, io);
    log.info('stopping: requests under way are answered first', { signal: await stopped });
    await running.stop();
    log.info('stopped');
    return EXIT.ok;
  },
};

/** Within this time a signal and its repetition are one: a terminal and npm both hand Ctrl-C on. */
const ONE_SIGNAL_MILLIS = 250;

/** Resolves with the name of the first signal that asks the process to stop; the next one ends it. */
function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    let first: { readonly signal: string; readonly at: number } | undefined;
    const onSignal = (signal: 'SIGTERM' | 'SIGINT'): void => {
      const now = performance.now();
      if (first !== undefined) {
        if (signal === first.signal && now - first.at < ONE_SIGNAL_MILLIS) return;
        process.exit(128 + constants.signals[signal]);
      }
      first = { signal, at: now };
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Tells where the server listens, and what it waits for. */
function announce(running: SupervisedServer, { data, workers }: Config, log: Logger, io: Io): void {
  const { url, initialized, sealed, development } = running;
  log.info('listening', { address: url, data, workers, version: VERSION, initialized, sealed });
  if (!initialized) log.info('the server is not initialised: "keyhold operator init" does it');
  else if (sealed) log.info('the server is sealed: "keyhold operator unseal" takes its keys');
  if (development === undefined) return;
  io.out(`
Keyhold runs in development mode. Do not use it in production: the root token and
the unseal key lie beside the data, in ${devFile(data)}

  Address      ${url}
  Root token   ${development.rootToken}

Write a first secret, and read it again:

  curl -H "X-Service-Token: ${development.rootToken}" -d '{"data":{"user":"ada"}}' ${url}/v1/secret/data/first
  curl -H "X-Service-Token: ${development.rootToken}" ${url}/v1/secret/data/first

`);
}
