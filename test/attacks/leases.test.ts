// Known attacks B7, B8 and B10 for leases, over HTTP: those of tokens, which every server has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, startTarget } from './support.ts';

const target = await startTarget();
let roles = 0;

/** A path of its own below which tokens are given out. */
async function newRole(): Promise<string> {
  const name = `role-${roles++}`;
  await target.expect([200, 204], 'POST', `auth/token/roles/${name}`, { body: { allowed_policies: ['default'] } });
  return `auth/token/create/${name}`;
}

async function make(path: string, more: object = {}): Promise<string> {
  const { json } = await target.expect(200, 'POST', path, { body: { policies: ['default'], ...more } });
  return String(at(json, 'auth', 'client_token'));
}

const lives = async (token: string): Promise<boolean> =>
  (await target.send('GET', 'auth/token/lookup-self', { token })).status === 200;

/** The names of the leases directly below a path. */
async function leasesBelow(path: string): Promise<readonly string[]> {
  const { json } = await target.send('LIST', `sys/leases/lookup/${path}`);
  return Array.from(Object(at(json, 'data', 'keys') ?? []), (name) => `${path}/${name}`);
}

const known = async (lease_id: string): Promise<boolean> =>
  (await target.expect([200, 400], 'POST', 'sys/leases/lookup', { body: { lease_id } })).status === 200;

test('B7 with a parent its children and their leases are dead at once', async () => {
  const parent = await target.token({ policies: ['root'], ttl: '1h' });
  const path = await newRole();
  const { json } = await target.expect(200, 'POST', 'auth/token/create', {
    token: parent,
    body: { policies: ['default'], ttl: '1h' },
  });
  const child = String(at(json, 'auth', 'client_token'));
  const bearer = await target.expect(200, 'POST', path, { token: parent, body: { policies: ['default'], ttl: '30m' } });
  const grandchild = String(at(bearer.json, 'auth', 'client_token'));
  const [lease = assert.fail()] = await leasesBelow(path);
  assert.deepEqual([await lives(child), await lives(grandchild), await known(lease)], [true, true, true]);
  await target.expect(204, 'POST', 'auth/token/revoke', { body: { token: parent } });
  assert.deepEqual([await lives(child), await lives(grandchild), await known(lease)], [false, false, false]);
});

test('B8 a lease is reached by its whole name alone, and all refusals read the same', async () => {
  const [own, others] = [await newRole(), await newRole()];
  const [mine, theirs] = [await make(own), await make(others)];
  const [lease = assert.fail()] = await leasesBelow(others);
  const id = lease.slice(lease.lastIndexOf('/') + 1);
  const rule = (path: string): string => `path "${path}" { capabilities = ["update", "sudo"] }\n`;
  const token = await target.tokenWith(
    rule('sys/leases/lookup') +
      rule('sys/leases/renew') +
      rule(`sys/leases/revoke/${own}/*`) +
      rule(`sys/leases/revoke-prefix/${own}/*`) +
      rule(`sys/leases/revoke-force/${own}/*`),
  );
  const texts = new Set<string>();
  for (const lease_id of [
    `${own}/${id}`,
    id,
    `/${lease}`,
    `${lease}/`,
    `${own}/h${'x'.repeat(56)}`,
    'no/such/lease',
    lease.toUpperCase(),
    `${lease} `,
  ]) {
    for (const path of ['lookup', 'renew']) {
      texts.add((await target.expect(400, 'POST', `sys/leases/${path}`, { token, body: { lease_id } })).text);
    }
  }
  assert.equal(texts.size, 1, [...texts].join());
  for (const path of [
    `sys/leases/revoke/${own}/${id}`,
    `sys/leases/revoke-prefix/${own}/${id}`,
    `sys/leases/revoke-force/${own}/${id}`,
    `sys/leases/revoke/${own}/../${lease}`,
    `sys/leases/revoke/${own}%2f..%2f${id}`,
    `sys/leases/revoke/${lease}`,
    `sys/leases/revoke-prefix/${others}`,
    `sys/leases/revoke-force/auth`,
  ]) {
    await target.expect([204, 400, 403], 'POST', path, { token, body: {} });
  }
  assert.deepEqual([await lives(mine), await lives(theirs)], [true, true]);
  await target.expect(400, 'POST', 'sys/leases/renew', { token, body: { lease_id: lease } });
  assert.equal((await target.expect(204, 'POST', `sys/leases/revoke/${lease}`)).text, '');
  assert.equal(await lives(theirs), false);
});

test('B10 what an auth method gave out is dead with it, and stays so when another has its name', async () => {
  const tokens: string[] = [];
  await target.expect(204, 'POST', 'sys/auth/door', { body: { type: 'userpass' } });
  for (const user of ['ada']) {
    await target.expect(204, 'POST', `auth/door/users/${user}`, { body: { password: 'pw' } });
    const { json } = await target.expect(200, 'POST', `auth/door/login/${user}`, {
      token: undefined,
      body: { password: 'pw' },
    });
    tokens.push(String(at(json, 'auth', 'client_token')));
  }
  const leases = await leasesBelow('auth/door/login/ada');
  assert.equal(leases.length, 1);
  await target.expect(204, 'DELETE', 'sys/auth/door');
  for (const token of tokens) assert.equal(await lives(token), false);
  await target.expect(204, 'POST', 'sys/auth/door', { body: { type: 'userpass' } });
  for (let look = 0; look < 20; look++) {
    for (const token of tokens) assert.equal(await lives(token), false);
    for (const lease of leases) assert.equal(await known(lease), false);
  }
  await target.expect(404, 'LIST', 'sys/leases/lookup/auth/door');
});

test('what was given out before a revocation by path is dead with its answer, what is given out after it lives', async () => {
  for (const word of ['revoke-prefix', 'revoke-force']) {
    const path = await newRole();
    const before = await Promise.all(Array.from({ length: 64 }, () => make(path)));
    const under = Array.from({ length: 32 }, () => make(path));
    await target.expect(204, 'POST', `sys/leases/${word}/${path}`);
    const after = await Promise.all(Array.from({ length: 64 }, () => make(path)));
    const during = await Promise.all(under);
    const first = await Promise.all(during.map(lives));
    for (let look = 0; look < 3; look++) {
      assert.ok(
        (await Promise.all(before.map(lives))).every((alive) => !alive),
        'one of before lives',
      );
      assert.ok(
        (await Promise.all(after.map(lives))).every((alive) => alive),
        'one of after is dead',
      );
      assert.deepEqual(await Promise.all(during.map(lives)), first, 'it is one or the other, and stays so');
    }
  }
});
