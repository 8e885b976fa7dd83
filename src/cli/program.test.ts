import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { flagName, type Setting, variableName } from '../config/settings.ts';
import { SETTINGS } from '../config.ts';
import { VERSION } from '../version.ts';
import { runProgram } from './program.ts';

async function typed(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await runProgram(args, {
    environment: {},
    terminal: false,
    input: new PassThrough(),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

test('help and version: exit code 0, on the standard output', async () => {
  for (const args of [[], ['help'], ['--help'], ['-h'], ['operator'], ['operator', '--help'], ['policy']]) {
    const { code, out, err } = await typed(...args);
    assert.deepEqual([code, err], [0, '']);
    for (const name of ['server', 'status', 'operator init', 'operator unseal', 'operator seal', 'policy fmt']) {
      assert.ok(out.includes(`keyhold ${name} `), name);
    }
  }
  for (const args of [['--version'], ['version']]) {
    assert.deepEqual(await typed(...args), { code: 0, out: `keyhold ${VERSION}\n`, err: '' });
  }
  assert.match(VERSION, /^\d+\.\d+\.\d+/);
});

test('the help of the server names every setting', async () => {
  const { code, out } = await typed('server', '--help');
  assert.equal(code, 0);
  for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    assert.ok(out.includes(setting.secret ? variableName(key, setting) : `${flagName(key)} `), key);
  }
  assert.match(out, /--body-bytes +.*\(default 33554432\)/);
});

test('the help of a command names its flags, and a secret only as a variable', async () => {
  const { out } = await typed('operator', 'init', '--help');
  for (const name of ['--shares', '--threshold', '--format', '--address', '--cacert', 'KEYHOLD_TOKEN']) {
    assert.ok(out.includes(name), name);
  }
  assert.ok(!out.includes('--token'));
});

test('used wrongly: exit code 2, one clean line on the standard error', async () => {
  for (const [args, expected] of [
    [['status', 'x'], /^keyhold: status: takes flags only; a value was given\n$/],
    [['operator', 'unseal', 'a', 'b'], /^keyhold: operator unseal: takes one value \[KEY\]; more were given\n$/],
    [['status', '--token', 's.secret'], /^keyhold: --token: a secret is given by variable or file, not by a flag\n$/],
    [['status', '--address', 'localhost:8200'], /^keyhold: address: must be http:\/\/ or https:\/\//],
    [['status', '--address', 'http://a/b'], /^keyhold: address: must be /],
    [['status', '--address', 'http://user@a'], /^keyhold: address: must be /],
    [['operator', 'init', '--shares', '0'], /^keyhold: --shares: must be a whole number from 1 to 255\n$/],
    [['operator', 'unseal'], /^keyhold: operator unseal: no key was given\n$/],
    [['--\x1b[2Jx\n'], /^keyhold: there is no such command/],
    [['status', '--\x1b[2Jx\n'], /^keyhold: --\\u001b\[2Jx\\n: there is no such flag/],
  ] as const) {
    const { code, out, err } = await typed(...(args[1] === 'unseal' && args.length === 2 ? closed(args) : args));
    assert.deepEqual([code, out], [2, ''], err);
    assert.match(err, expected);
    assert.doesNotMatch(err, /s\.secret/);
  }
});

/** The input of these tests never says anything; give the key as an empty word instead of waiting for it. */
const closed = (args: readonly string[]): readonly string[] => [...args, ''];
