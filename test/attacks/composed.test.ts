// Known attack B11: no request, however it is composed, names an operation that the router does not offer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, startTarget } from './support.ts';

const target = await startTarget();
await target.expect(204, 'POST', 'sys/auth/userpass', { body: { type: 'userpass' } });
await target.expect(204, 'POST', 'auth/userpass/users/ada', { body: { password: 'pw', token_policies: 'default' } });
await target.expect(200, 'POST', 'secret/data/app', { body: { data: { kept: 'yes' } } });

/** What the family calls its own steps: none of them is a method. */
const INTERNAL = ['REVOKE', 'RENEW', 'ROLLBACK', 'HELP', 'ALIAS-LOOKAHEAD', 'RESOLVE-ROLE', 'RECOVER', 'HEADER'];

test('B11 steps of the family have no methods here, and no query or header stands for one', async () => {
  for (const method of INTERNAL) {
    for (const path of ['secret/data/app', 'auth/userpass/login/ada', 'sys/mounts']) {
      const { status } = await target.send(method, path);
      // Node's client sends what it knows alone; the rest it refuses itself.
      assert.ok([400, 405].includes(status), `${method} ${path}: ${status}`);
    }
  }
  for (const word of ['revoke', 'renew', 'rollback', 'alias-lookahead', 'delete']) {
    for (const query of [`operation=${word}`, `_method=${word}`, `${word}=true`]) {
      const { json } = await target.expect(200, 'GET', `secret/data/app?${query}`);
      assert.equal(at(json, 'data', 'data', 'kept'), 'yes', query);
    }
    const headers = { 'X-HTTP-Method-Override': word, 'X-Vault-Operation': word };
    const { json } = await target.expect(200, 'GET', 'secret/data/app', { headers });
    assert.equal(at(json, 'data', 'data', 'kept'), 'yes', word);
  }
});

test('B11 a login within the headers of another request is none', async () => {
  for (const operation of ['update', 'revoke', 'alias-lookahead', 'create']) {
    const headers = {
      'X-Vault-Inline-Auth-Path': 'auth/userpass/login/ada',
      'X-Vault-Inline-Auth-Operation': operation,
      'X-Vault-Inline-Auth-Parameter-password': Buffer.from('{"key":"password","value":"pw"}').toString('base64url'),
    };
    await target.expect(403, 'GET', 'auth/token/lookup-self', { token: undefined, headers });
    await target.expect(403, 'GET', 'secret/data/app', { token: undefined, headers });
  }
});

test('B11 what is wrapped is kept as it is, and nothing in it is done', async () => {
  const wish = {
    operation: 'delete',
    path: 'secret/data/app',
    requests: [{ operation: 'delete', path: 'sys/auth/userpass' }],
  };
  const headers = { 'X-Service-Wrap-TTL': '60' };
  const { json } = await target.expect(200, 'POST', 'sys/wrapping/wrap', { body: wish, headers });
  const token = String(at(json, 'wrap_info', 'token'));
  const unwrapped = await target.expect(200, 'POST', 'sys/wrapping/unwrap', { token });
  assert.deepEqual(at(unwrapped.json, 'data'), wish);
  assert.equal(at((await target.expect(200, 'GET', 'secret/data/app')).json, 'data', 'data', 'kept'), 'yes');
});

test('B11 there are no paths for requests within a request', async () => {
  for (const path of [
    'sys/batch',
    'sys/workflows',
    'sys/internal/request',
    'sys/raw/core',
    'sys/pprof',
    'sys/plugins/reload',
  ]) {
    const body = { requests: [{ operation: 'read', path: 'secret/data/app' }] };
    await target.expect([404, 405], 'POST', path, { body });
    await target.expect(403, 'POST', path, { body, token: undefined });
  }
});
