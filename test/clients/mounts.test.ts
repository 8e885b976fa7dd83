// What the family's command line sends for `secrets` and `auth`, and the members of the answers that it prints or acts on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from './family.ts';
import { data, refused, startOpen } from './server.ts';

const root = await startOpen();

/** As `secrets enable` sends it with no flag but these. */
const input = (more: Readonly<Record<string, unknown>>) => ({
  ...{ type: 'kv', description: '', local: false, seal_wrap: false, external_entropy_access: false, options: null },
  config: { options: null, default_lease_ttl: '0s', max_lease_ttl: '0s', force_no_cache: false },
  ...more,
});

test('secrets enable -version=2, list -detailed, tune, disable', async () => {
  const options = { version: '2' };
  await root.call('POST', 'sys/mounts/one/', input({ options }));
  await root.call('POST', 'sys/mounts/team/kv/', input({ type: 'kv-v2', description: 'of a team' }));
  const again = root.call('POST', 'sys/mounts/one/', input({ options }));
  await assert.rejects(again, refused(400, 'path is already in use'));
  const mounts = await root.read('sys/mounts');
  for (const [path, description] of [
    ['one/', ''],
    ['team/kv/', 'of a team'],
  ] as const) {
    const { accessor, uuid, config, ...rest } = Object(data(mounts, path));
    assert.deepEqual(rest, { type: 'kv', description, options, local: false, seal_wrap: false });
    assert.ok([accessor, uuid].every((id) => typeof id === 'string' && id !== ''));
    assert.deepEqual(config, { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false });
  }
  const tuned = { options: null, default_lease_ttl: '30m0s', max_lease_ttl: '', force_no_cache: false };
  await root.call('POST', 'sys/mounts/team/kv/tune', tuned);
  assert.equal(data(await root.read('sys/mounts'), 'team/kv/', 'config', 'default_lease_ttl'), 1_800);
  await root.call('POST', 'sys/mounts/team/kv/tune', { ...tuned, default_lease_ttl: 'system', description: 'new' });
  assert.equal(data(await root.read('sys/mounts'), 'team/kv/', 'config', 'default_lease_ttl'), 0);
  assert.equal(data(await root.read('sys/mounts'), 'team/kv/', 'description'), 'new');
  for (let i = 0; i < 2; i++) assert.equal(await root.call('DELETE', 'sys/mounts/team/kv/'), undefined);
  assert.equal(data(await root.read('sys/mounts'), 'team/kv/'), undefined);
});

test('secrets move', async () => {
  await root.call('POST', 'sys/mounts/old/', input({ type: 'kv-v2' }));
  await root.call('POST', 'old/data/a', { data: { x: 1 } });
  const moving = await root.call('POST', 'sys/remount', { from: 'old/', to: 'new/place/' });
  const state = await root.read(`sys/remount/status/${String(data(moving, 'migration_id'))}`);
  const info = { source_mount: 'old/', target_mount: 'new/place/', status: 'success' };
  assert.deepEqual(data(state, 'migration_info'), info);
  assert.deepEqual(data(await root.read('new/place/data/a'), 'data'), { x: 1 });
  await assert.rejects(root.call('POST', 'sys/remount', { from: 'old/', to: 'other/' }), refused(400, 'no mount'));
});

test('auth list -detailed', async () => {
  const { type, accessor, config } = Object(data(await root.read('sys/auth'), 'token/'));
  assert.deepEqual([type, typeof accessor, at(config, 'token_type')], ['token', 'string', 'default-service']);
});
