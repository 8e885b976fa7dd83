import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileName, flagName, variableName } from './config/settings.ts';
import { unknownVariables } from './config/variables.ts';
import { configOf, limitsOf, loadConfig, partOf, SETTINGS } from './config.ts';
import { Failure } from './failure.ts';
import { DEFAULT_LIMITS } from './http/limits.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyhold-config-'));
after(() => rmSync(folder, { recursive: true }));

function file(content: string | Buffer): string {
  const path = join(folder, 'keyhold.toml');
  writeFileSync(path, content);
  return path;
}

/** The sentence that a configuration ends with; its exit code is 2. */
function refusal(load: () => unknown): string {
  try {
    load();
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exitCode, 2);
    return error.message;
  }
  throw new assert.AssertionError({ message: 'was not refused' });
}

describe('precedence', () => {
  const cases: readonly [string, string[], Record<string, string>, string, number][] = [
    ['the default', [], {}, '', 60_000],
    ['the file over the default', [], {}, 'idle_millis = 100', 100],
    ['a variable over the file', [], { KEYHOLD_IDLE_MILLIS: '200' }, 'idle_millis = 100', 200],
    ['a flag over all', ['--idle-millis', '300'], { KEYHOLD_IDLE_MILLIS: '200' }, 'idle_millis = 100', 300],
    ['a flag with =', ['--idle-millis=300'], {}, '', 300],
    ['the last flag', ['--idle-millis=300', '--idle-millis=400'], {}, '', 400],
    ['an empty variable says nothing', [], { KEYHOLD_IDLE_MILLIS: '' }, 'idle_millis = "100"', 100],
  ];
  for (const [name, args, variables, content, expected] of cases) {
    test(name, () => {
      const config = loadConfig([...args, '--config', file(content)], variables);
      assert.equal(config.idleMillis, expected);
    });
  }

  test('the file itself may be named by a variable', () => {
    assert.equal(loadConfig([], { KEYHOLD_CONFIG: file('cluster_name = "blue"') }).clusterName, 'blue');
  });

  test('data lies in ./data, in development mode in ./data/dev, elsewhere when told', () => {
    assert.equal(loadConfig([], {}).data, resolve('data'));
    assert.equal(loadConfig(['--dev'], {}).data, resolve('data/dev'));
    assert.equal(loadConfig(['--dev', '--data', 'data'], {}).data, resolve('data'));
    assert.equal(loadConfig(['--dev'], { KEYHOLD_DATA: '/x' }).data, '/x');
    assert.equal(loadConfig(['--dev', '--config', file('data = "/y"')], {}).data, '/y');
  });

  test('what npm start hands over', () => {
    const config = loadConfig(
      ['--dev', '--dev-root-token-id', 'root', '--listen', '127.0.0.1:8300', '--data', '/d', '--workers', '1'],
      {},
    );
    assert.deepEqual(
      [config.dev, config.devRootTokenId, config.listen, config.data, config.workers],
      [true, 'root', '127.0.0.1:8300', '/d', 1],
    );
  });

  test('a yes-or-no flag takes = and no word behind it', () => {
    assert.equal(loadConfig(['--dev=false'], {}).dev, false);
    assert.match(
      refusal(() => loadConfig(['--dev', 'false'], {})),
      /takes flags only/,
    );
  });
});

describe('refused with a sentence that names setting and source', () => {
  const cases: readonly [string, string[], Record<string, string>, string | undefined, RegExp][] = [
    ['unknown flag', ['--lisen', 'x'], {}, undefined, /^--lisen: there is no such flag \(did you mean --listen\?\)/],
    ['short flag', ['-x'], {}, undefined, /^-x: there is no such flag/],
    ['no value', ['--listen'], {}, undefined, /^--listen: needs a value, HOST:PORT/],
    ['a flag for a value', ['--listen', '--dev'], {}, undefined, /^--listen: needs a value/],
    ['bad flag value', ['--listen', '8200'], {}, undefined, /^--listen: must be HOST:PORT/],
    [
      'bad variable',
      [],
      { KEYHOLD_BODY_BYTES: '1k' },
      undefined,
      /^KEYHOLD_BODY_BYTES: must be a whole number from 1024 to/,
    ],
    ['no workers', ['--workers', '0'], {}, undefined, /^--workers: must be a whole number from 1 to 64, or auto/],
    ['log level', ['--log-level', 'loud'], {}, undefined, /^--log-level: must be one of debug, info, warn, error$/],
    [
      'unknown key',
      [],
      {},
      'bodybytes = 1',
      /^keyhold\.toml: there is no setting "bodybytes" \(did you mean body_bytes\?\)/,
    ],
    ['camel case', [], {}, 'bodyBytes = 1', /^keyhold\.toml: there is no setting "bodyBytes"/],
    ['a table', [], {}, '[listen]\nport = 1', /^keyhold\.toml: listen: must be HOST:PORT/],
    ['a list', [], {}, 'listen = ["127.0.0.1:1"]', /^keyhold\.toml: listen: must be/],
    ['a date', [], {}, 'idle_millis = 2026-01-01', /^keyhold\.toml: idle_millis: must be a whole number/],
    ['wrong type', [], {}, 'cluster_name = 7', /^keyhold\.toml: cluster_name: must be a text/],
    ['config in the file', [], {}, 'config = "x"', /^keyhold\.toml: there is no setting "config"/],
    ['not TOML', [], {}, 'a = 1\ncluster_name = hunter2!', /^keyhold\.toml: line 2, column \d+ is not TOML$/],
    ['key twice', [], {}, 'dev = true\ndev = true', /^keyhold\.toml: line 2, column \d+ is not TOML$/],
    ['prototype', [], {}, '__proto__ = 1', /^keyhold\.toml: /],
    ['deep', [], {}, `dev = ${'['.repeat(5_000)}`, /^keyhold\.toml: .*not TOML$/],
    [
      'not overridden, but wrong',
      ['--idle-millis', '100'],
      {},
      'idle_millis = 1',
      /^keyhold\.toml: idle_millis: must be/,
    ],
    ['cert without key', ['--tls-cert', 'c'], {}, undefined, /^tls_cert and tls_key: give both or neither/],
    ['plain HTTP off loopback', ['--listen', '0.0.0.0:1'], {}, undefined, /^listen: plain HTTP beyond this machine/],
    [
      'dev off loopback',
      ['--dev', '--listen', '0.0.0.0:1'],
      {},
      undefined,
      /^listen: development mode is for this machine/,
    ],
    [
      'dev off loopback, with TLS too',
      ['--dev', '--listen', '0.0.0.0:1', '--tls-cert', 'c', '--tls-key', 'k'],
      {},
      undefined,
      /^listen: development mode/,
    ],
    ['dev token without dev', [], { KEYHOLD_DEV_ROOT_TOKEN_ID: 'root' }, undefined, /^dev_root_token_id: .*--dev/],
    ['dev with a key file', ['--dev', '--seal-key-file', 'k'], {}, undefined, /^seal_key_file: /],
    [
      'leases',
      ['--default-lease-ttl-seconds=2', '--max-lease-ttl-seconds=1'],
      {},
      undefined,
      /^default_lease_ttl_seconds/,
    ],
    ['postgres without a URL', ['--storage', 'postgres'], {}, undefined, /^storage and postgres_url: /],
    ['a URL without postgres', [], {}, 'postgres_url = "postgres://hunter2@h/d"', /^storage and postgres_url: /],
    [
      'a URL as a flag',
      ['--postgres-url', 'postgres://hunter2@h/d'],
      {},
      undefined,
      /^--postgres-url: a secret is given/,
    ],
    [
      'no URL',
      ['--storage', 'postgres'],
      { KEYHOLD_POSTGRES_URL: 'mysql://hunter2@h/d' },
      undefined,
      /^postgres_url: must be postgres:/,
    ],
    [
      'two passwords',
      ['--storage', 'postgres', '--postgres-password-file', 'f'],
      { KEYHOLD_POSTGRES_URL: 'postgres://u@h/d', KEYHOLD_POSTGRES_PASSWORD: 'hunter2' },
      undefined,
      /^postgres_password and postgres_password_file: give one/,
    ],
    ['schema', ['--postgres-schema', 'a;b'], {}, undefined, /^--postgres-schema: must be 1 to 63 lower-case/],
    ['header limits', ['--header-line-bytes=2000', '--header-bytes=1999'], {}, undefined, /^header_line_bytes/],
    ['body limits', ['--bodies-in-flight-bytes=1048576'], {}, undefined, /^body_bytes: .*bodies_in_flight_bytes/],
  ];
  for (const [name, args, variables, content, expected] of cases) {
    test(name, () => {
      const all = content === undefined ? args : [...args, '--config', file(content)];
      const sentence = refusal(() => loadConfig(all, variables));
      assert.match(sentence, expected);
      assert.doesNotMatch(sentence, /hunter2/);
    });
  }

  test('a file that is missing, a folder, too large, or no text', () => {
    const load = (path: string) => refusal(() => loadConfig(['--config', path], {}));
    assert.match(load(join(folder, 'none.toml')), /none\.toml cannot be read: there is no such file$/);
    assert.match(load(folder), /cannot be read: it is not a regular file$/);
    assert.match(load(file(Buffer.alloc(1024 * 1024 + 1, '\n'))), /cannot be read: it is larger than 1048576 bytes$/);
    assert.match(load(file(Buffer.from([0x61, 0xff]))), /cannot be read: it is not UTF-8 text$/);
    assert.equal(loadConfig(['--config', file(Buffer.alloc(1024 * 1024, '\n'))], {}).dev, false);
  });
});

test('both sides of each range of numbers', () => {
  let ranges = 0;
  for (const [key, { kind, fallback }] of Object.entries(SETTINGS)) {
    const [, low, high] = /^a whole number from (\d+) to (\d+)$/.exec(kind.expects) ?? [];
    if (low === undefined || high === undefined) continue;
    ranges += 1;
    const read = (number: number) => kind.read(String(number));
    assert.deepEqual([read(+low), read(+high)], [+low, +high], key);
    assert.deepEqual([read(+low - 1), read(+high + 1)], [undefined, undefined], key);
    assert.equal(kind.read(Number(fallback)), fallback, `the default of ${key} is in its range`);
  }
  assert.ok(ranges >= 19, String(ranges));
});

test('insecure-listen, or TLS, allows other machines', () => {
  assert.equal(loadConfig(['--listen', '0.0.0.0:1', '--insecure-listen'], {}).listen, '0.0.0.0:1');
  assert.equal(loadConfig(['--listen', '[::]:1', '--tls-cert', 'c', '--tls-key', 'k'], {}).tlsCert, resolve('c'));
  assert.equal(loadConfig(['--dev', '--listen', '0.0.0.0:1', '--insecure-listen'], {}).dev, true);
});

test('the limits of the listener are its defaults, and can all be set', () => {
  assert.deepEqual(limitsOf(configOf()), DEFAULT_LIMITS);
  assert.equal(limitsOf(configOf({ bodyBytes: 5_000 })).bodyBytes, 5_000);
  assert.throws(() => configOf({ listen: '0.0.0.0:1' }), Failure);
});

test('what is counted over a whole server is divided among its workers, and each takes the largest body', () => {
  const limits = { ...DEFAULT_LIMITS, connections: 100, bodyBytes: 30, bodiesInFlightBytes: 100 };
  assert.deepEqual(partOf(limits, 1), limits);
  for (const [workers, connections, bodiesInFlightBytes] of [
    [2, 50, 50],
    [3, 34, 33],
    [4, 25, 30],
    [64, 2, 30],
  ] as const) {
    assert.deepEqual(partOf(limits, workers), { ...limits, connections, bodiesInFlightBytes });
  }
});

test('one name in three spellings, and no two settings share one', () => {
  assert.equal(fileName('bodyBytes'), 'body_bytes');
  assert.equal(flagName('devRootTokenId'), '--dev-root-token-id');
  assert.equal(variableName('devRootTokenId', SETTINGS.devRootTokenId), 'KEYHOLD_DEV_ROOT_TOKEN_ID');
  const names = Object.keys(SETTINGS).map(fileName);
  assert.equal(new Set(names).size, names.length);
});

test('variables that nobody knows are named, those of orchestrators are not', () => {
  const environment = {
    KEYHOLD_LISTN: 'x',
    KEYHOLD_LISTEN: 'x',
    KEYHOLD_PORT_8200_TCP: 'x',
    KEYHOLD_SERVICE_HOST: 'x',
  };
  assert.deepEqual(unknownVariables({ ...environment, PATH: 'x' }, [SETTINGS]), ['KEYHOLD_LISTN']);
});
