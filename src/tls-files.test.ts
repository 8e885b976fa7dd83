import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run, runServer, scratchFolder } from './cli/testing.ts';
import { Failure } from './failure.ts';
import { readTlsFiles } from './tls-files.ts';

const vector = (name: string): string => fileURLToPath(new URL(`../../test/vectors/tls/${name}`, import.meta.url));
const CERT = vector('cert.pem');
const KEY = vector('key.pem');

test('a pair that belongs together is read', () => {
  const { cert, key } = readTlsFiles(CERT, KEY);
  assert.match(cert.toString(), /BEGIN CERTIFICATE/);
  assert.match(key.toString(), /BEGIN PRIVATE KEY/);
});

test('anything else is refused with a sentence that names setting and file', () => {
  const folder = scratchFolder();
  const text = join(folder, 'text.pem');
  writeFileSync(text, 'not PEM');
  for (const [cert, key, expected] of [
    [join(folder, 'none'), KEY, /^tls_cert: the file .*none cannot be read: there is no such file$/],
    [CERT, join(folder, 'none'), /^tls_key: the file .*none cannot be read: there is no such file$/],
    [CERT, folder, /^tls_key: the file .* cannot be read: it is a folder, not a file$/],
    [text, KEY, /^tls_cert: the file .*text\.pem does not hold a PEM certificate$/],
    [CERT, text, /^tls_key: the file .*text\.pem does not hold a PEM private key without a passphrase$/],
    [KEY, KEY, /^tls_cert: .* does not hold a PEM certificate$/],
    [CERT, CERT, /^tls_key: .* does not hold a PEM private key/],
    [
      CERT,
      vector('other-key.pem'),
      /^tls_key: the key in .*other-key\.pem does not belong to the certificate in .*cert\.pem$/,
    ],
  ] as const) {
    assert.throws(
      () => readTlsFiles(cert, key),
      (error) => error instanceof Failure && error.exitCode === 1 && expected.test(error.message),
      String(expected),
    );
  }
});

test('a server with TLS is reached by those who trust its certificate, and by no plain HTTP', async () => {
  const server = await runServer([...['--tls-cert', CERT, '--tls-key', KEY, '--data', scratchFolder()]]);
  assert.match(server.url, /^https:/);
  const trusted = await run(['status'], { environment: { KEYHOLD_ADDR: server.url, KEYHOLD_CACERT: CERT } });
  assert.equal(trusted.code, 2, trusted.err);
  assert.match(trusted.out, /^Sealed +true$/m);
  const stranger = await run(['status', '--address', server.url]);
  assert.equal(stranger.code, 1);
  assert.match(stranger.err, /^keyhold: https:.* cannot be reached: .*(DEPTH_ZERO_SELF_SIGNED_CERT|self-signed)/);
  const plain = await run(['status', '--address', server.url.replace('https', 'http')]);
  assert.equal(plain.code, 1);
  const bad = await run(['status', '--address', server.url, '--cacert', join(CERT, 'none')]);
  assert.equal(bad.code, 2);
  assert.match(bad.err, /^keyhold: cacert: the file .* cannot be read/);
  assert.equal((await server.stop()).code, 0);
});
