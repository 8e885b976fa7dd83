// What the family's command line sends for `policy` and `token`, and the members of the answers that it prints or acts on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, textAt } from './family.ts';
import { data, refused, startOpen } from './server.ts';

const root = await startOpen();

const rules = 'path "kv/data/app/*" { capabilities = ["read"] }\n';

test('policy write, read, list, delete', async () => {
  assert.equal(await root.write('sys/policies/acl/app', { policy: rules }), undefined);
  assert.equal(data(await root.read('sys/policies/acl/app'), 'policy'), rules);
  assert.deepEqual(data(await root.list('sys/policies/acl'), 'keys'), ['app', 'default', 'root']);
  await root.write('sys/policies/acl/gone', { policy: rules });
  for (let i = 0; i < 2; i++) assert.equal(await root.remove('sys/policies/acl/gone'), undefined);
  assert.equal(await root.read('sys/policies/acl/gone'), undefined);
});

/** As `token create` sends it with no flag but these. */
const wish = (more: Readonly<Record<string, unknown>>) => ({
  ...{ ttl: '0s', explicit_max_ttl: '0s', period: '0s', display_name: '', num_uses: 0, renewable: true },
  ...{ type: 'service', entity_alias: '', ...more },
});

test('token create, lookup, capabilities, revoke', async () => {
  const policies = ['app'];
  const body = wish({ policies, ttl: '1h0m0s', display_name: 'ci', meta: { job: '7' } });
  const { json } = (await root.call('POST', 'auth/token/create', body)) ?? assert.fail('no answer');
  const { client_token: token, accessor, ...auth } = Object(at(json, 'auth'));
  assert.ok([token, accessor].every((text) => typeof text === 'string' && text !== ''));
  const wanted = { lease_duration: 3_600, renewable: true, orphan: false, num_uses: 0, metadata: { job: '7' } };
  for (const [name, value] of Object.entries(wanted)) assert.deepEqual(auth[name], value, name);
  for (const name of ['policies', 'token_policies']) assert.deepEqual(auth[name], ['app', 'default']);
  assert.ok([undefined, null].includes(auth.mfa_requirement));
  const own = root.as(token);
  const seen = data(await root.call('POST', 'auth/token/lookup', { token }));
  const self = data(await own.read('auth/token/lookup-self'));
  for (const of of [seen, self]) {
    const { id, ttl, display_name, meta, policies, period } = Object(of);
    assert.deepEqual([id, display_name, meta, period], [token, 'token-ci', { job: '7' }, undefined]);
    assert.ok(Number.isInteger(ttl) && ttl > 3_590 && ttl <= 3_600);
    assert.deepEqual(policies, ['app', 'default']);
  }
  const path = 'kv/data/app/db';
  const may = await own.call('POST', 'sys/capabilities-self', { path });
  assert.deepEqual([data(may, 'capabilities'), data(may, path)], [['read'], ['read']]);
  await assert.rejects(own.write(path, { data: {} }), refused(403, 'permission denied'));
  for (let i = 0; i < 2; i++) assert.equal(await root.write('auth/token/revoke', { token }), undefined);
  await assert.rejects(own.read('auth/token/lookup-self'), refused(403, 'permission denied'));
  await assert.rejects(root.call('POST', 'auth/token/lookup', { token }), refused(403, 'permission denied'));
});

test('token create without a flag, token revoke -self', async () => {
  const { json } = (await root.call('POST', 'auth/token/create', wish({}))) ?? assert.fail('no answer');
  const own = root.as(textAt(json, 'auth', 'client_token'));
  assert.deepEqual([at(json, 'auth', 'policies'), at(json, 'auth', 'lease_duration')], [['root'], 0]);
  assert.equal(data(await own.read('auth/token/lookup-self'), 'ttl'), 0);
  assert.equal(await own.write('auth/token/revoke-self', undefined), undefined);
  await assert.rejects(own.read('auth/token/lookup-self'), refused(403, 'permission denied'));
});
