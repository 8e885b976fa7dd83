import { readFileSync } from 'node:fs';
import { checkServerIdentity, type ConnectionOptions as TlsOptions } from 'node:tls';

/** Where a database is and how it is reached. */
export interface Address {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** Undefined: in the clear. */
  readonly tls: TlsOptions | undefined;
}

const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

const PARAMETERS: ReadonlySet<string> = new Set(['sslmode', 'sslrootcert', 'host']);
const DEFAULT_PORT = 5432;

/**
 * Reads `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?sslmode=…&sslrootcert=FILE]`, as in PostgreSQL's manual,
 * 34.1.1.2; `?host=/folder` names a Unix socket. Without `sslmode`, what leaves this machine is encrypted and the server's
 * certificate and name are verified (`verify-full`).
 *
 * Throws an Error whose sentence completes "postgres_url …" and shows nothing of the URL, which may hold a password.
 */
export function parseUrl(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || url.hash !== '') {
    throw new Error('must be postgres://USER@HOST:PORT/DATABASE');
  }
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.has(name)) throw new Error(`takes the parameters ${[...PARAMETERS].join(', ')} and no others`);
  }
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decode);
  if (!user) throw new Error('must name the user: postgres://USER@HOST:PORT/DATABASE');
  if (!database || database.includes('/'))
    throw new Error('must name the database: postgres://USER@HOST:PORT/DATABASE');
  const socket = url.searchParams.get('host');
  if (socket !== null && !socket.startsWith('/')) throw new Error('must name a folder as its parameter host');
  const host = socket ?? decode(url.hostname).replace(/^\[|\]$/g, '');
  if (host === '') throw new Error('must name the host: postgres://USER@HOST:PORT/DATABASE');
  return {
    ...{ host, user, database, port: url.port === '' ? DEFAULT_PORT : Number(url.port) },
    password: password || undefined,
    tls: tlsOf(url.searchParams, host),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('must have "%" written as %25');
  }
}

const isHere = (host: string): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

function tlsOf(parameters: URLSearchParams, host: string): TlsOptions | undefined {
  const given = parameters.get('sslmode') ?? (isHere(host) ? 'disable' : 'verify-full');
  const mode: Mode | undefined = MODES.find((mode) => mode === given);
  if (mode === undefined) throw new Error(`must have one of ${MODES.join(', ')} as its sslmode`);
  if (mode === 'disable') return undefined;
  const file = parameters.get('sslrootcert');
  const ca = file === null ? {} : { ca: contentOf(file) };
  if (mode === 'require') return { ...ca, rejectUnauthorized: false };
  if (mode === 'verify-ca') return { ...ca, checkServerIdentity: () => undefined };
  // By the host of the URL: of an address, the library would tell the platform nothing, which then takes "localhost".
  return { ...ca, checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate) };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error('names a file as its sslrootcert that cannot be read');
  }
}
