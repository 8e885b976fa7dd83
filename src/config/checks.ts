import type { Config } from '../config.ts';
import { parseUrl } from '../storage/postgres/address.ts';
import { isLoopback, parseAddress } from './address.ts';

/** A rule over several settings: the sentence where it is broken. */
type Rule = (config: Config) => string | undefined | false;

const onLoopback = ({ listen }: Config): boolean => isLoopback(parseAddress(listen)?.host ?? '');

function faultOfUrl({ postgresUrl }: Config): string | undefined {
  try {
    if (postgresUrl !== undefined) parseUrl(postgresUrl);
    return undefined;
  } catch (error) {
    return `postgres_url: ${error instanceof Error ? error.message : 'cannot be read'}`;
  }
}

const RULES: readonly Rule[] = [
  (c) => (c.tlsCert === undefined) !== (c.tlsKey === undefined) && 'tls_cert and tls_key: give both or neither',
  (c) =>
    c.dev &&
    !onLoopback(c) &&
    !c.insecureListen &&
    'listen: development mode is for this machine only; listen at 127.0.0.1, or give --insecure-listen if you must',
  (c) =>
    c.tlsCert === undefined &&
    !onLoopback(c) &&
    !c.insecureListen &&
    'listen: plain HTTP beyond this machine shows all secrets to the network; give tls_cert and tls_key, or --insecure-listen',
  (c) => c.devRootTokenId !== undefined && !c.dev && 'dev_root_token_id: is for development mode; give --dev too',
  (c) => c.dev && c.sealKeyFile !== undefined && 'seal_key_file: development mode unseals by itself; leave it out',
  (c) =>
    c.defaultLeaseTtlSeconds > c.maxLeaseTtlSeconds &&
    'default_lease_ttl_seconds: must not be larger than max_lease_ttl_seconds',
  (c) => c.headerLineBytes > c.headerBytes && 'header_line_bytes: must not be larger than header_bytes',
  (c) =>
    c.bodyBytes > c.bodiesInFlightBytes &&
    'body_bytes: must not be larger than bodies_in_flight_bytes, or no such body passes',
  (c) =>
    (c.storage === 'postgres') !== (c.postgresUrl !== undefined) &&
    'storage and postgres_url: storage "postgres" needs a URL, and a URL is for it alone',
  (c) =>
    c.postgresPassword !== undefined &&
    c.postgresPasswordFile !== undefined &&
    'postgres_password and postgres_password_file: give one of them',
  faultOfUrl,
];

/** The first rule that the settings break together, as a sentence. */
export function check(config: Config): string | undefined {
  for (const rule of RULES) {
    const sentence = rule(config);
    if (typeof sentence === 'string') return sentence;
  }
  return undefined;
}
