// What the family's command line sends for `operator` and `status`, and the members of the answers that it prints or acts on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, type Secret, textAt } from './family.ts';
import { data, refused, startSealed } from './server.ts';

const SHARES = 5;
const THRESHOLD = 3;

let root = await startSealed();
let keys: readonly string[] = [];

/** The table of `status`, `operator unseal` and the first look of `operator init`. */
async function sealStatus(answer: Promise<Secret | undefined>, wanted: Readonly<Record<string, unknown>>) {
  const { json } = (await answer) ?? assert.fail('no answer');
  const { type, version, nonce, ...rest } = Object(json);
  assert.deepEqual([type, typeof version, typeof nonce], ['shamir', 'string', 'string']);
  for (const [name, value] of Object.entries(wanted)) assert.equal(rest[name], value, name);
  // The command line asks who leads before it prints; a refusal would be its own end.
  const leader = (await root.read('sys/leader'))?.json;
  assert.deepEqual([at(leader, 'ha_enabled'), at(leader, 'is_self')], [false, false]);
}

async function unseal(): Promise<void> {
  for (const [i, key] of keys.slice(0, THRESHOLD).entries()) {
    const sealed = i + 1 < THRESHOLD;
    await sealStatus(root.write('sys/unseal', { key, reset: false, migrate: false }), {
      ...{ initialized: true, sealed, t: THRESHOLD, n: SHARES, progress: sealed ? i + 1 : 0 },
    });
  }
}

// In order: each needs the state that the one before it leaves.
test('operator init -status, status, operator init', async () => {
  assert.equal(at((await root.read('sys/init'))?.json, 'initialized'), false);
  await sealStatus(root.read('sys/seal-status'), {
    initialized: false,
    sealed: true,
    t: 0,
    n: 0,
    recovery_seal: false,
  });
  const body = {
    ...{ secret_shares: SHARES, secret_threshold: THRESHOLD, pgp_keys: null },
    ...{ recovery_shares: 0, recovery_threshold: 0, recovery_pgp_keys: null, root_token_pgp_key: '' },
  };
  const { json } = (await root.write('sys/init', body)) ?? assert.fail('no answer');
  const base64 = Array.from(Object(at(json, 'keys_base64')), String);
  keys = Array.from(Object(at(json, 'keys')), String);
  assert.deepEqual([keys.length, base64.length], [SHARES, SHARES]);
  assert.deepEqual(
    base64.map((key) => Buffer.from(key, 'base64').toString('hex')),
    keys,
  );
  root = root.as(textAt(json, 'root_token'));
  assert.equal(at((await root.read('sys/init'))?.json, 'initialized'), true);
  await assert.rejects(root.write('sys/init', body), refused(400, 'already initialized'));
});

test('operator unseal, -reset, seal, status, unseal again', async () => {
  await assert.rejects(root.read('sys/mounts'), refused(503, 'sealed'));
  await root.write('sys/unseal', { key: keys[0], reset: false, migrate: false });
  await sealStatus(root.write('sys/unseal', { key: '', reset: true, migrate: false }), { sealed: true, progress: 0 });
  await unseal();
  assert.equal(await root.write('sys/seal', undefined), undefined);
  await sealStatus(root.read('sys/seal-status'), { initialized: true, sealed: true, t: THRESHOLD, n: SHARES });
  await unseal();
  await sealStatus(root.read('sys/seal-status'), { initialized: true, sealed: false });
  const { json } = (await root.read('sys/seal-status')) ?? assert.fail('no answer');
  assert.match(textAt(json, 'cluster_id'), /^[0-9a-f-]{36}$/);
  assert.notEqual(textAt(json, 'cluster_name'), '');
});

test('operator key-status, operator rotate', async () => {
  const status = await root.read('sys/key-status');
  assert.ok(Number.isInteger(data(status, 'term')) && Number.isInteger(data(status, 'encryptions')));
  assert.ok(!Number.isNaN(Date.parse(textAt(status?.json, 'data', 'install_time'))));
  for (const [i, path] of ['sys/rotate', 'sys/rotate/keyring'].entries()) {
    assert.equal(await root.call('POST', path), undefined);
    assert.equal(data(await root.read('sys/key-status'), 'term'), Number(data(status, 'term')) + i + 1);
  }
});
