// Known attacks A1–A4, A7, A12: every way to spell a path or a policy's name is decided on its one canonical form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '../http/wire.ts';
import { at, ROOT, startTarget } from './support.ts';

const target = await startTarget();

test('A1 a path traversal deletes nothing outside of what the policy grants', async () => {
  const token = await target.tokenWith('path "secret/metadata/a*" { capabilities = ["create", "update", "delete"] }');
  await target.put('secret/data/a1/own', 'mine');
  await target.put('secret/data/b', 'kept');
  const spellings = [
    'a/../b',
    'a1/../b',
    'a/%2e%2e/b',
    'a/%2E./b',
    'a/.%2e/b',
    'a%2f..%2fb',
    'a%2F%2E%2E%2Fb',
    'a/..%2fb',
    'a/./../b',
    'a/%5c../b',
    'a%5c..%5cb',
    'a/..%5cb',
    'a/%c0%ae%c0%ae/b',
    'a/%e0%80%ae%e0%80%ae/b',
    'a%c0%af..%c0%afb',
    'a/..',
    'a/../',
    'a/.',
    'a/%2e',
    'a/%00/../b',
    'a/..%00/b',
    'a/..;/b',
    'a/%252e%252e/b',
    'a/%ef%bc%8e%ef%bc%8e/b',
    '../metadata/b',
    '..',
  ];
  for (const spelling of spellings) {
    for (const method of ['DELETE', 'POST']) {
      const { status } = await target.send(method, `secret/metadata/${spelling}`, { token, body: { max_versions: 1 } });
      // Names that only look like a traversal are other secrets beneath `a`, which the token may change.
      const literal = /a\/(\.\.;|%252e|%ef%bc)/.test(spelling);
      assert.ok([400, 403].includes(status) || (literal && status === 204), `${method} ${spelling}: ${status}`);
      assert.equal(await target.value('secret/data/b'), 'kept', spelling);
      assert.equal(at((await target.send('GET', 'secret/metadata/b')).json, 'data', 'max_versions'), 0, spelling);
    }
  }
  await target.expect(403, 'DELETE', 'secret/metadata/b', { token });
});

test('A1 a doubled slash is sent to the clean path, has no effect, and is not followed by the server', async () => {
  await target.put('secret/data/a1/own', 'mine');
  const token = await target.tokenWith('path "secret/*" { capabilities = ["delete", "read"] }');
  for (const [raw, clean] of [
    ['secret/metadata//a1/own', '/v1/secret/metadata/a1/own'],
    ['secret//metadata/a1///own', '/v1/secret/metadata/a1/own'],
    ['/secret/metadata/a1/own?x=//', '/v1/secret/metadata/a1/own?x=//'],
  ] as const) {
    for (const who of [token, ROOT, undefined]) {
      const { status, headers } = await target.send('DELETE', raw, { token: who });
      assert.deepEqual([status, headers.location], [307, clean]);
    }
    assert.equal(await target.value('secret/data/a1/own'), 'mine');
  }
  for (const elsewhere of ['//evil.example/v1/secret/data/b', '//v1/secret/data/b', '/\t/v1/', '/v1//../sys']) {
    const [answer] = await exchange(
      target.address,
      `GET ${elsewhere} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.ok(answer !== undefined && [307, 400, 404].includes(answer.status));
    assert.ok(!/^location: (?!\/v1\/[a-z])/im.test(answer.head), 'it only ever points into itself');
  }
});

test('A1 a mount is moved to no path but a canonical one, and never into what belongs to the server', async () => {
  await target.expect(204, 'POST', 'sys/mounts/moving', { body: { type: 'kv-v2' } });
  await target.put('moving/data/own', 'kept');
  const never = [
    ...[
      '',
      '/',
      '//',
      '..',
      'a/../sys',
      './sys',
      'a//b',
      'sys//x',
      'a\\..\\b',
      'a\u0000',
      'a\n',
      '\u0085',
      'x'.repeat(600),
    ],
    ...['sys', '/sys/', 'sys/x', 'auth', 'auth/', 'auth/token', 'auth/token/x', 'cubbyhole', 'identity/x', 'audit'],
  ];
  for (const path of never) {
    await target.expect(400, 'POST', 'sys/remount', { body: { from: 'moving', to: path } });
    await target.expect(400, 'POST', 'sys/remount', { body: { from: path, to: 'elsewhere' } });
  }
  for (const to of ['secret', 'secret/x', 'moving', 'moving/x', 'auth/x', 'auth/moving']) {
    await target.expect(400, 'POST', 'sys/remount', { body: { from: 'moving', to } });
  }
  assert.equal(await target.value('moving/data/own'), 'kept');
  const names = Object.keys(Object(at((await target.expect(200, 'GET', 'sys/mounts')).json, 'data')));
  assert.ok(names.includes('moving/') && names.includes('secret/') && !names.includes('elsewhere/'));
  await target.expect(204, 'DELETE', 'sys/mounts/moving');
});

test('A2 a list with or without its slash is one folder: no broad grant passes a narrower deny', async () => {
  await target.put('secret/data/hr/pay', 'x');
  await target.put('secret/data/hrx', 'x');
  await target.put('secret/data/it/ok', 'x');
  const grant = 'path "secret/metadata/*" { capabilities = ["list", "scan"] }\n';
  for (const deny of ['hr*', 'hr', 'hr/', 'hr/*', '+']) {
    const token = await target.tokenWith(`${grant} path "secret/metadata/${deny}" { capabilities = ["deny"] }`);
    for (const [method, path] of [
      ['LIST', 'hr'],
      ['LIST', 'hr/'],
      ['GET', 'hr?list=true'],
      ['GET', 'hr/?list=true'],
      ['GET', 'hr/?list=1&list=false&list=1'],
      ['SCAN', 'hr'],
      ['SCAN', 'hr/'],
      ['GET', 'hr?scan=true'],
      ['GET', 'hr/?scan=true'],
      ['GET', 'hr/?scan=1&scan=false&scan=1'],
    ] as const) {
      // A rule `hr/*` is beneath the folder, and also the folder itself: its slash stands in the rule.
      await target.expect(403, method, `secret/metadata/${path}`, { token });
    }
    if (deny === '+') continue;
    for (const method of ['LIST', 'SCAN']) await target.expect(200, method, 'secret/metadata/it', { token });
  }
});

test('A3 paths are compared byte for byte: a twin is another secret, and no way to the denied one', async () => {
  const token = await target.tokenWith(
    'path "secret/data/*" { capabilities = ["read", "create"] } path "secret/data/example" { capabilities = ["deny"] } ' +
      'path "secret/data/caf\u00e9" { capabilities = ["deny"] }',
  );
  await target.put('secret/data/example', 'hidden');
  await target.put('secret/data/caf%C3%A9', 'hidden');
  for (const twin of ['EXAMPLE', 'Example', 'example%20', '%20example', 'example/', 'example%E2%80%8B', 'cafe%CC%81']) {
    const { status, text } = await target.send('GET', `secret/data/${twin}`, { token });
    assert.ok([400, 403, 404].includes(status) && !text.includes('hidden'), `${twin}: ${status}`);
  }
  for (const spelling of ['example', '%65xample', 'exampl%65', '%65%78%61%6d%70%6c%65', 'caf%C3%A9', 'caf%c3%a9']) {
    await target.expect(403, 'GET', `secret/data/${spelling}`, { token });
  }
  await target.expect(200, 'POST', 'secret/data/EXAMPLE', { token, body: { data: { value: 'twin' } } });
  assert.equal(await target.value('secret/data/example'), 'hidden');
});

test('A3 a policy has one name, however it is spelt', async () => {
  const body = { policy: 'path "secret/*" { capabilities = ["read", "create", "update"] }' };
  await target.expect(200, 'POST', 'sys/policies/acl/Admin', { body });
  await target.put('secret/data/b', 'kept');
  const names = at((await target.expect(200, 'LIST', 'sys/policies/acl')).json, 'data', 'keys');
  assert.ok(Array.isArray(names) && names.includes('admin') && !names.includes('Admin'));
  const creator = await target.tokenWith('path "auth/token/create" { capabilities = ["update"] }');
  for (const spelling of ['admin', 'ADMIN', 'Admin', 'admin ', ' aDmin\t', '\u0061dmin', 'admin\n']) {
    const refused = { token: creator, body: { policies: [spelling] } };
    await target.expect([400, 403], 'POST', 'auth/token/create', refused);
    const granted = await target.token({ policies: [spelling], no_default_policy: true });
    await target.expect(200, 'GET', 'secret/data/b', { token: granted });
  }
  for (const spelling of ['%61dmin', 'ADMIN', 'admin%20']) {
    await target.expect(200, 'GET', `sys/policies/acl/${spelling}`);
  }
  // Letters that some case folding makes ASCII of: the long s and the Kelvin sign.
  for (const body of [{ policies: ['\u017fudo'] }, { policies: ['\u212aey'] }, { policies: ['ad\u0000min'] }]) {
    await target.expect(400, 'POST', 'auth/token/create', { body });
  }
});

test('A4 a policy name is no path', async () => {
  const creator = await target.tokenWith(
    'path "auth/token/create" { capabilities = ["update", "sudo"] } path "sys/policies/acl/*" { capabilities = ["update", "read"] }',
  );
  for (const name of ['../root', 'a/../../x', '..', '.', 'a/b', 'a\\b', '../policy/root', 'a\nroot', 'root\u0000']) {
    for (const token of [creator, ROOT]) {
      const { status, json } = await target.send('POST', 'auth/token/create', { token, body: { policies: [name] } });
      assert.equal(status, 400, JSON.stringify(name));
      assert.equal(at(json, 'auth'), undefined);
    }
    const path = `sys/policies/acl/${encodeURIComponent(name)}`;
    const { status } = await target.send('POST', path, {
      token: creator,
      body: { policy: 'path "*" { policy = "sudo" }' },
    });
    assert.ok([400, 403, 404].includes(status), `${path}: ${status}`);
  }
  await target.expect(400, 'POST', 'sys/policies/acl/root', {
    body: { policy: 'path "a" { capabilities = ["deny"] }' },
  });
  await target.expect(400, 'POST', 'sys/policies/acl/ROOT%20', { body: { policy: 'path "a" { policy = "read" }' } });
  await target.expect(400, 'DELETE', 'sys/policies/acl/Root');
});

test('A7 no namespace but the root exists, and naming one grants nothing', async () => {
  const token = await target.tokenWith('path "+/secret/*" { capabilities = ["read", "create", "update", "list"] }');
  await target.put('secret/data/b', 'kept');
  for (const name of [
    'team',
    'root/x',
    '..',
    'a/../',
    'ROOT',
    ' root',
    '%2e',
    '/root',
    '//',
    'root//',
    '*',
    '+',
    'secret',
  ]) {
    for (const header of ['X-Service-Namespace', 'X-Vault-Namespace']) {
      const headers = { [header]: name };
      // Blanks around a header's value are not a part of it (RFC 9110 §5.5).
      const status = name.trim() === 'root' ? 403 : 404;
      await target.expect(status, 'GET', 'secret/data/b', { token, headers });
      await target.expect(403, 'GET', 'secret/data/b', { token: undefined, headers });
      if (status === 404) await target.expect(404, 'GET', 'secret/data/b', { headers });
      if (status === 404) await target.expect(404, 'POST', 'secret/data/ns', { headers, body: { data: {} } });
    }
  }
  for (const name of ['', '/', 'root', 'root/']) {
    await target.expect(200, 'GET', 'secret/data/b', { headers: { 'X-Service-Namespace': name } });
  }
  const twice = { 'X-Service-Namespace': ['root', 'root'] };
  await target.expect(400, 'GET', 'secret/data/b', { headers: twice });
  await target.expect(400, 'GET', 'secret/data/b', {
    headers: { 'X-Service-Namespace': 'root', 'X-Vault-Namespace': 'x' },
  });
  await target.expect([403, 404], 'GET', 'team/secret/data/b', { token });
  assert.equal(await target.value('secret/data/ns'), undefined);
});

test('A12 other methods and spellings of a request are decided as the plain one, or refused', async () => {
  await target.put('secret/data/b', 'kept');
  const nothing = await target.tokenWith('path "secret/data/other" { capabilities = ["read"] }');
  const reader = await target.tokenWith('path "secret/data/b" { capabilities = ["read"] }');
  for (const method of ['HEAD', 'OPTIONS']) {
    await target.expect(403, method, 'secret/data/b', { token: nothing });
    await target.expect(403, method, 'secret/data/b', { token: undefined });
    await target.expect(405, method, 'secret/data/b', { token: reader });
  }
  for (const method of ['TRACE', 'PROPFIND', 'MOVE', 'COPY', 'PURGE']) {
    for (const token of [undefined, nothing, ROOT]) await target.expect(405, method, 'secret/data/b', { token });
  }
  for (const name of [
    'X-HTTP-Method-Override',
    'X-Method-Override',
    'X-HTTP-Method',
    'X-Original-URL',
    'X-Rewrite-URL',
  ]) {
    const headers = { [name]: name.endsWith('URL') ? '/v1/secret/metadata/b' : 'DELETE' };
    await target.expect(200, 'GET', 'secret/data/b', { token: reader, headers });
    await target.expect(403, 'POST', 'secret/data/b', { token: reader, headers, body: { _method: 'DELETE' } });
  }
  await target.expect(403, 'POST', 'secret/data/b?_method=GET', { token: reader, body: { data: {} } });
  for (const path of [
    'secret/data/b;x=1',
    'secret/data/b%00',
    'secret/data/b%3Fversion=1',
    'secret/data/b%23',
    'secret/data;/b',
  ]) {
    const { status } = await target.send('GET', path, { token: reader });
    assert.ok(status === 400 || status === 403, `${path}: ${status}`);
  }
  for (const line of [
    `GET http://${target.address}/v1/secret/data/b`,
    'GET secret/data/b',
    'GET *',
    'OPTIONS *',
    `CONNECT ${target.address}`,
    'get /v1/secret/data/b',
    'GET /v1/secret/data/b#x',
    'GET /V1/secret/data/b',
    'GET /v1',
    'GET /v2/secret/data/b',
    'GET /%76%31/secret/data/b',
    'GET /v1/secret/data/b\\',
    'GET /v1/secret/data/\u00e9',
  ]) {
    const request = `${line} HTTP/1.1\r\nHost: x\r\nX-Service-Token: ${ROOT}\r\nConnection: close\r\n\r\n`;
    const [answer] = await exchange(target.address, request);
    assert.ok(answer !== undefined && [400, 404, 405].includes(answer.status), `${line}: ${answer?.status}`);
    assert.ok(!answer.body.includes('kept'), line);
  }
  assert.equal(await target.value('secret/data/b'), 'kept');
});
