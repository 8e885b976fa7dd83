// Known attacks B4, B6, B12, B13, C12 and H1 of the logins by password and by role.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enable, lockOut, logInAtOnce, newRole } from './logins.ts';
import { type Answer, at, ROOT, startTarget } from './support.ts';

const target = await startTarget();
const anybody = { token: undefined };

test('B4 failures under all spellings of a name are one count', () => lockOut([target], ROOT));

test('B13 a secret id of five uses lets in five of 64', () => logInAtOnce([target], ROOT));

test('B12 an accessor of one role is not there for another', async () => {
  const [path] = await enable(target, 'approle', ROOT);
  const { role_id, secret_id, accessor } = await newRole(target, path, ROOT);
  await target.expect(204, 'POST', `${path}/role/other`, { body: {} });
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const action of ['lookup', 'destroy']) {
    const ask = (secret_id_accessor: string) =>
      target.expect(404, 'POST', `${path}/role/other/secret-id-accessor/${action}`, { body: { secret_id_accessor } });
    assert.equal((await ask(accessor)).text, (await ask(unknown)).text);
    for (const strange of ['../app', 'x'.repeat(4096), '']) await ask(strange);
    const by = { secret_id };
    await target.expect(204, 'POST', `${path}/role/other/secret-id/${action}`, { body: by });
  }
  await target.expect(200, 'POST', `${path}/login`, { ...anybody, body: { role_id, secret_id } });
});

test('C12 a hundred refused logins leave no token and no lease', async () => {
  const [path] = await enable(target, 'approle', ROOT);
  const { role_id } = await newRole(target, path, ROOT, { token_type: 'batch' });
  await target.expect(204, 'POST', `${path}/role/bound`, {
    body: { bind_secret_id: false, token_bound_cidrs: '203.0.113.0/24', role_id: 'bound' },
  });
  const accessors = async () => (await target.expect(200, 'LIST', 'auth/token/accessors')).text.length;
  const before = await accessors();
  const bodies = [{ role_id, secret_id: 'wrong' }, { role_id: 'none' }, { role_id: 'bound' }, {}];
  await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      target.expect(400, 'POST', `${path}/login`, { ...anybody, body: bodies[i % 4] }),
    ),
  );
  assert.equal(await accessors(), before);
});

/** All that a stranger sees but the time. */
const seen = ({ status, text, headers }: Answer): unknown => [status, text, Object.keys(headers).sort()];

test('H1 users and roles that there are look like those that there are not, locked out or not', async () => {
  const [up, upAccessor] = await enable(target, 'userpass', ROOT);
  await target.expect(204, 'POST', `${up}/users/known`, { body: { password: 'right' } });
  await target.expect(204, 'POST', `sys/${up}/tune`, { body: { user_lockout_config: { lockout_threshold: 2 } } });
  const [ar] = await enable(target, 'approle', ROOT);
  const { role_id, secret_id } = await newRole(target, ar, ROOT);
  const byPassword = (name: string, password: string) =>
    target.send('POST', `${up}/login/${name}`, { ...anybody, body: { password } });
  const byRole = (id: string, secret: string) =>
    target.send('POST', `${ar}/login`, { ...anybody, body: { role_id: id, secret_id: secret } });

  const stranger = seen(await byPassword('unknown', 'wrong'));
  for (const password of ['wrong', 'wrong', 'wrong', 'right']) {
    assert.deepEqual(seen(await byPassword('known', password)), stranger);
  }
  await target.expect(204, 'POST', `sys/locked-users/${upAccessor}/unlock/known`);
  assert.equal((await byPassword('known', 'right')).status, 200);

  const nobody = seen(await byRole('unknown', 'wrong'));
  assert.deepEqual(seen(await byRole('unknown', secret_id)), nobody);
  for (let i = 0; i < 6; i++) assert.deepEqual(seen(await byRole(role_id, 'wrong')), nobody);
  assert.deepEqual(seen(await byRole(role_id, secret_id)), nobody, 'locked out');
});

test('B6 renewals do not move the end of a login', async () => {
  const [path] = await enable(target, 'approle', ROOT);
  const ids = await newRole(target, path, ROOT, { token_ttl: 1, token_max_ttl: 1 });
  const begun = performance.now();
  const { json } = await target.expect(200, 'POST', `${path}/login`, { ...anybody, body: ids });
  const token = String(at(json, 'auth', 'client_token'));
  let renewals = 0;
  for (;;) {
    const { status, json } = await target.send('POST', 'auth/token/renew-self', { token, body: { increment: 3600 } });
    if (status !== 200) break;
    renewals += 1;
    assert.ok(Number(at(json, 'auth', 'lease_duration')) <= 1);
    assert.ok(performance.now() - begun < 10_000, 'it lives for ever');
  }
  assert.ok(renewals > 10);
  await target.expect(403, 'GET', 'auth/token/lookup-self', { token });
});
