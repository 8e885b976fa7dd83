import { join, resolve } from 'node:path';
import { check } from './config/checks.ts';
import { readFile } from './config/file.ts';
import { readFlags } from './config/flags.ts';
import { address, integer, oneOf, path, processes, schemaName, text, toggle, tokenText } from './config/kinds.ts';
import { optional, readSettings, type Setting, setting, type Values } from './config/settings.ts';
import { type Environment, readVariables } from './config/variables.ts';
import { usageFailure } from './failure.ts';
import { DEFAULT_LIMITS, type Limits } from './http/limits.ts';
import { MIN_POOL_SIZE } from './storage/postgres.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const HOUR_MILLIS = 3_600_000;
/** 32 days, as in the family. */
const LEASE_SECONDS = 2_764_800;
const YEARS_100_SECONDS = 3_153_600_000;

/** The limits of the listener; what each means stands at `Limits`. */
const LIMIT_SETTINGS = {
  headerLineBytes: setting(integer(256, MIB), DEFAULT_LIMITS.headerLineBytes, 'longest header line'),
  headerBytes: setting(integer(1 * KIB, 4 * MIB), DEFAULT_LIMITS.headerBytes, 'largest head of a request'),
  headerCount: setting(integer(8, 10_000), DEFAULT_LIMITS.headerCount, 'most header lines of a request'),
  targetBytes: setting(integer(1 * KIB, MIB), DEFAULT_LIMITS.targetBytes, 'longest request target'),
  bodyBytes: setting(integer(1 * KIB, GIB), DEFAULT_LIMITS.bodyBytes, 'largest body of a request'),
  bodiesInFlightBytes: setting(
    integer(1 * MIB, 1024 * GIB),
    DEFAULT_LIMITS.bodiesInFlightBytes,
    'all bodies held at once',
  ),
  connections: setting(integer(1, 1_000_000), DEFAULT_LIMITS.connections, 'most open connections'),
  pipelined: setting(integer(1, 10_000), DEFAULT_LIMITS.pipelined, 'requests of one connection answered in a row'),
  readAheadBytes: setting(integer(1 * KIB, GIB), DEFAULT_LIMITS.readAheadBytes, 'taken in while an answer is made'),
  headMillis: setting(integer(10, HOUR_MILLIS), DEFAULT_LIMITS.headMillis, 'time for the head of a request'),
  bodyMillis: setting(integer(10, HOUR_MILLIS), DEFAULT_LIMITS.bodyMillis, 'time for a body without progress'),
  bodyBytesPerSecond: setting(integer(1, GIB), DEFAULT_LIMITS.bodyBytesPerSecond, 'slowest mean rate of a body'),
  idleMillis: setting(integer(10, 24 * HOUR_MILLIS), DEFAULT_LIMITS.idleMillis, 'life of an idle connection'),
  writeMillis: setting(integer(10, HOUR_MILLIS), DEFAULT_LIMITS.writeMillis, 'time for an answer nobody takes'),
  lingerMillis: setting(integer(10, HOUR_MILLIS), DEFAULT_LIMITS.lingerMillis, "wait for the client's end of closing"),
} satisfies { [K in keyof Limits]: Setting<number> };

/** Every setting and every limit of the server, with its default. Flags, variables and the file take all of them. */
export const SETTINGS = {
  dev: setting(toggle, false, 'development mode: initialised and unsealed by itself; not for production'),
  devRootTokenId: optional(tokenText(128), 'a root token of this value, in development mode'),
  listen: setting(address, '127.0.0.1:8200', 'address to listen at; port 0 takes a free one'),
  data: setting(path, resolve('data'), 'folder of the data; default ./data, in development mode ./data/dev'),
  storage: setting(oneOf(['lmdb', 'postgres']), 'lmdb', 'where records are kept: in the data folder, or in PostgreSQL'),
  postgresUrl: optional(text(4_096), 'postgres://USER@HOST:PORT/DATABASE, with sslmode and sslrootcert', {
    secret: true,
  }),
  postgresPassword: optional(text(1_024), 'password, where the URL has none', { secret: true }),
  postgresPasswordFile: optional(path, 'file of the password, read for each new connection'),
  postgresSchema: setting(schemaName, 'keyhold', 'schema of the tables, made where it is missing'),
  postgresPoolSize: setting(integer(MIN_POOL_SIZE, 1_000), 8, 'most connections to the database'),
  postgresStatementMillis: setting(integer(10, HOUR_MILLIS), 10_000, 'time for a statement, and for a new connection'),
  postgresPatienceMillis: setting(
    integer(0, 60_000),
    3_000,
    'wait for a database that is away, before a request is 503',
  ),
  workers: setting(processes, 1, 'processes that serve: a number, or auto for one on each core'),
  logLevel: setting(oneOf(['debug', 'info', 'warn', 'error']), 'info', 'least level that is logged'),
  config: optional(path, 'TOML file of settings'),
  tlsCert: optional(path, 'PEM file of the certificate and its chain; TLS is on with it'),
  tlsKey: optional(path, 'PEM file of the private key'),
  insecureListen: setting(toggle, false, 'allow plain HTTP, or development mode, beyond this machine'),
  sealKeyFile: optional(path, 'file of the key that opens the server without shares'),
  setupToken: optional(tokenText(256), 'lets init be called from elsewhere than this machine, as its token', {
    secret: true,
  }),
  clusterName: setting(text(128), 'keyhold', 'name that sys/health and sys/seal-status show'),
  defaultLeaseTtlSeconds: setting(integer(1, YEARS_100_SECONDS), LEASE_SECONDS, 'lifetime where none is asked for'),
  maxLeaseTtlSeconds: setting(integer(1, YEARS_100_SECONDS), LEASE_SECONDS, 'longest lifetime'),
  stopGraceMillis: setting(integer(0, HOUR_MILLIS), 10_000, 'time that requests under way have when the server stops'),
  recordCacheBytes: setting(integer(MIB, 64 * GIB), 64 * MIB, 'decoded configuration records kept in memory'),
  ...LIMIT_SETTINGS,
};

export type Config = Values<typeof SETTINGS>;

/** The defaults with some settings changed: for servers that are started by code. */
export function configOf(changes: Partial<Config> = {}): Config {
  return checked({ ...readSettings(SETTINGS, []), ...changes });
}

const NOT_IN_FILE: ReadonlySet<string> = new Set(['config']);

/**
 * The configuration of `keyhold server`: flags win over `KEYHOLD_…` variables, these over the file, this over defaults.
 * Throws a `Failure` of exit code 2 that names the setting and where it was found.
 */
export function loadConfig(args: readonly string[], environment: Environment): Config {
  const { layer: flags, positionals } = readFlags(args, SETTINGS);
  if (positionals.length > 0) throw usageFailure('server: takes flags only; a value without a flag was given');
  const variables = readVariables(environment, SETTINGS);
  const { config: file } = readSettings(SETTINGS, [variables, flags]);
  const layers = [file === undefined ? new Map() : readFile(file, SETTINGS, NOT_IN_FILE), variables, flags];
  const config = readSettings(SETTINGS, layers);
  const chosen = layers.some((layer) => layer.has('data'));
  return checked(config.dev && !chosen ? { ...config, data: join(config.data, 'dev') } : config);
}

function checked(config: Config): Config {
  const fault = check(config);
  if (fault !== undefined) throw usageFailure(fault);
  return config;
}

/** The part of the configuration that is the listener's. */
export function limitsOf(config: Config): Limits {
  const { headerLineBytes, headerBytes, headerCount, targetBytes, bodyBytes, bodiesInFlightBytes } = config;
  const { connections, pipelined, readAheadBytes, bodyBytesPerSecond } = config;
  const { headMillis, bodyMillis, idleMillis, writeMillis, lingerMillis } = config;
  return {
    ...{ headerLineBytes, headerBytes, headerCount, targetBytes, bodyBytes, bodiesInFlightBytes },
    ...{ connections, pipelined, readAheadBytes, bodyBytesPerSecond },
    ...{ headMillis, bodyMillis, idleMillis, writeMillis, lingerMillis },
  };
}

/** The part of one worker: what is counted over a whole server is divided among them. */
export const partOf = (limits: Limits, workers: number): Limits => ({
  ...limits,
  connections: Math.ceil(limits.connections / workers),
  bodiesInFlightBytes: Math.max(limits.bodyBytes, Math.floor(limits.bodiesInFlightBytes / workers)),
});
