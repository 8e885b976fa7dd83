import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Failure, reasonOf } from './failure.ts';

/** Paths. */
interface TlsSettings {
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** A certificate with its chain and its private key, PEM. */
export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The pair that the settings name, where they name one; errors as `readTlsFiles`. */
export const tlsOf = ({ tlsCert, tlsKey }: TlsSettings): TlsPair | undefined =>
  tlsCert === undefined || tlsKey === undefined ? undefined : readTlsFiles(tlsCert, tlsKey);

/** Reads and checks the two files. A `Failure` that names the file, where they are not PEM or do not belong together. */
export function readTlsFiles(certPath: string, keyPath: string): TlsPair {
  const cert = readPem('tls_cert', certPath);
  const key = readPem('tls_key', keyPath);
  const certificate = parsed('tls_cert', certPath, 'a PEM certificate', () => new X509Certificate(cert));
  const privateKey = parsed('tls_key', keyPath, 'a PEM private key without a passphrase', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Failure(`tls_key: the key in ${keyPath} does not belong to the certificate in ${certPath}`);
  }
  parsed('tls_cert', certPath, 'a certificate chain that TLS takes', () => createSecureContext({ cert, key }));
  return { cert, key };
}

function readPem(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure(`${setting}: the file ${path} cannot be read: ${reasonOf(error)}`);
  }
}

function parsed<T>(setting: string, path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Failure(`${setting}: the file ${path} does not hold ${what}`);
  }
}
