// Known attack G7: characters that mean something to some store or language, in every path, name, `after` and `limit`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, startTarget } from './support.ts';

const target = await startTarget();

/** Ordinary characters of a name, however dangerous they look. */
const ODD = [
  "'",
  '"',
  '%',
  '_',
  '\\',
  ';',
  '`',
  '$',
  '$' + '{x}',
  '{{x}}',
  "' OR '1'='1",
  "'; DROP TABLE records; --",
  '*',
  '+',
  '?',
  '#',
  '&',
  '=',
  '|',
  '~',
  '^',
  '<b>',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\ufffd',
  '\u{1f4a9}',
  '\u{10ffff}',
  'é',
  'e\u0301',
  ' ',
  ' a ',
  '...',
  '-1',
  '0',
  'm',
  'd',
  'config',
];

const REFUSED = ['\0', 'a\0b', '\n', '\r\n', '\t', '\x1b[31m', '\x7f', '\u0080', '\u009f', '.', '..', 'a/../b', './a'];

const encoded = (name: string): string => name.split('/').map(encodeURIComponent).join('/').replaceAll("'", '%27');

test('G7 each odd name is a secret of its own, found by no other name', async () => {
  for (const [i, name] of ODD.entries()) await target.put(`secret/data/odd/${encoded(name)}`, `value ${i}`);
  for (const [i, name] of ODD.entries()) {
    const path = `odd/${encoded(name)}`;
    assert.equal(await target.value(`secret/data/${path}`), `value ${i}`, JSON.stringify(name));
    await target.expect(404, 'GET', `secret/data/${path}x`);
    await target.put(`secret/data/${path}/child`, 'child');
    const { json } = await target.expect(200, 'LIST', `secret/metadata/${path}`);
    assert.deepEqual(at(json, 'data', 'keys'), ['child'], JSON.stringify(name));
  }
  const { json } = await target.expect(200, 'LIST', 'secret/metadata/odd');
  const sorted = ODD.flatMap((name) => [name, `${name}/`]).sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  assert.deepEqual(at(json, 'data', 'keys'), sorted);
  for (const name of ODD) {
    const { json } = await target.send('LIST', `secret/metadata/odd?after=${encodeURIComponent(name)}`);
    const behind = sorted.filter((other) => Buffer.compare(Buffer.from(other), Buffer.from(name)) > 0);
    assert.deepEqual(at(json, 'data', 'keys'), behind.length === 0 ? undefined : behind, JSON.stringify(name));
    await target.expect(
      400,
      'LIST',
      `secret/metadata/odd?limit=${encodeURIComponent(`1${name}`.replace(/^1\d$/, '1x'))}`,
    );
  }
});

test('G7 odd names hold for mounts, rules and capabilities as they are', async () => {
  for (const [i, name] of ODD.entries()) {
    const mount = `odd${i}${name.trim()}`;
    await target.expect(204, 'POST', `sys/mounts/${encoded(mount)}`, { body: { type: 'kv-v2' } });
    await target.put(`${encoded(mount)}/data/a`, `value ${i}`);
    assert.equal(await target.value(`${encoded(mount)}/data/a`), `value ${i}`);
    await target.expect(204, 'DELETE', `sys/mounts/${encoded(mount)}`);
    await target.expect(404, 'GET', `${encoded(mount)}/data/a`);
    const path = `secret/data/odd/${name}`;
    const { json } = await target.expect(200, 'POST', 'sys/capabilities-self', { body: { paths: [path] } });
    // The elements of a list are trimmed, as in the family.
    assert.deepEqual(at(json, 'data', path.trim()), ['root']);
    // `*` and `+` are the two characters of a rule that are no letters of a name; {{ }} are templates.
    if (/^[*+]$|\{\{/.test(name)) continue;
    const policy = JSON.stringify({ path: { [path]: { capabilities: ['read'] } } });
    const token = await target.tokenWith(policy);
    await target.expect(200, 'GET', `secret/data/odd/${encoded(name)}`, { token });
    await target.expect(403, 'GET', `secret/data/odd/${encoded(`${name}x`)}`, { token });
    await target.expect(403, 'GET', 'secret/data/odd/zzz', { token });
  }
});

test('G7 control characters and dots are refused in every path', async () => {
  for (const name of REFUSED) {
    const one = encodeURIComponent(name).replaceAll('.', '%2E');
    for (const [method, path] of [
      ['GET', `secret/data/${one}`],
      ['POST', `secret/data/a/${one}/b`],
      ['LIST', `secret/metadata/${one}`],
      ['DELETE', `secret/metadata/${one}`],
      ['POST', `sys/mounts/${one}`],
      ['GET', `sys/mounts/${one}/tune`],
      ['POST', `sys/policies/acl/${one}`],
      ['GET', `sys/internal/ui/mounts/${one}`],
      ['GET', `${one}/data/a`],
    ] as const) {
      for (const token of [undefined, 'stranger']) {
        const sent = { body: method === 'POST' ? { data: {} } : undefined };
        assert.equal((await target.send(method, path, sent)).status, 400, `${method} ${path}`);
        assert.equal((await target.send(method, path, { ...sent, token })).status, 400, `${method} ${path}`);
      }
    }
  }
});

test('G7 no cursor leaves its folder, and a malformed one is refused', async () => {
  await target.put('secret/data/folder/in', 'x');
  await target.put('secret/data/folder0/out', 'x');
  for (const after of [
    '',
    '\0',
    '.',
    '..',
    '../',
    '/',
    '//',
    '../folder0',
    "'",
    '%',
    '\\',
    '\x01',
    ' ',
    '*',
    'i',
    'h'.repeat(1500),
  ]) {
    const { status, json } = await target.send(
      'LIST',
      `secret/metadata/folder?after=${encodeURIComponent(after)}&limit=5`,
    );
    assert.equal(status, 200, JSON.stringify(after));
    assert.deepEqual(at(json, 'data', 'keys'), ['in'], JSON.stringify(after));
  }
  for (const after of ['in', 'in/', 'inn', 'zzz', '\u{10ffff}', 'z'.repeat(2000), '\u{10ffff}'.repeat(500)]) {
    await target.expect(404, 'LIST', `secret/metadata/folder?after=${encodeURIComponent(after)}`);
    await target.expect([200, 404], 'LIST', `sys/policies/acl?after=${encodeURIComponent(after)}`);
  }
  for (const after of ['%', '%zz', '%ff', '%ed%a0%80', '%c0%80', '%f4%90%80%80']) {
    await target.expect(400, 'LIST', `secret/metadata/folder?after=${after}`);
    await target.expect(400, 'GET', `secret/metadata/folder?list=true&after=${after}`);
  }
});

test('G7 odd policy names are refused, odd values of metadata kept as they are', async () => {
  for (const name of ["'", '"', '%', '\\', ';', '*', '/', ' x y', 'é', '\0', '<b>']) {
    const path = `sys/policies/acl/${encodeURIComponent(name).replaceAll("'", '%27')}`;
    const { status } = await target.send('POST', path, { body: { policy: 'path "a" { policy = "read" }' } });
    assert.ok(status === 400 || (name === '/' && status >= 400), `${name}: ${status}`);
  }
  const meta = Object.fromEntries(ODD.map((name) => [name, name]));
  const { json } = await target.expect(200, 'POST', 'auth/token/create', { body: { meta } });
  for (const name of ODD) assert.equal(at(json, 'auth', 'metadata', name), name);
});
