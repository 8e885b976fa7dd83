// What the family's command line sends for `kv`, and the members of the answers that it prints or acts on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from './family.ts';
import { data, refused, startOpen } from './server.ts';

const root = await startOpen();

// In order: each needs the state that the one before it leaves.
test('the look ahead of each command: the mount and its version', async () => {
  for (const path of ['kv/app/db', 'kv/app', 'kv']) {
    const mount = await root.read(`sys/internal/ui/mounts/${path}`);
    assert.deepEqual([data(mount, 'path'), data(mount, 'options', 'version')], ['kv/', '2'], path);
  }
  await assert.rejects(
    root.read('sys/internal/ui/mounts/none'),
    refused(403, 'preflight capability check returned 403'),
  );
});

test('kv put, -cas, get, -version, list', async () => {
  assert.equal(await root.read('kv/data/app/db'), undefined);
  assert.equal(await root.list('kv/metadata/app'), undefined);
  const put = await root.write('kv/data/app/db', { data: { user: 'ada', pin: '1' }, options: {} });
  const metadata = Object(data(put));
  assert.deepEqual(
    [metadata.version, metadata.destroyed, metadata.deletion_time, metadata.custom_metadata],
    [1, false, '', null],
  );
  assert.ok(!Number.isNaN(Date.parse(metadata.created_time)));
  const stale = root.write('kv/data/app/db', { data: { user: 'eve' }, options: { cas: 0 } });
  await assert.rejects(stale, refused(400, 'check-and-set parameter did not match the current version'));
  assert.equal(data(await root.write('kv/data/app/db', { data: { user: 'bob' }, options: { cas: 1 } }), 'version'), 2);
  const got = await root.read('kv/data/app/db');
  assert.deepEqual([data(got, 'data'), data(got, 'metadata', 'version')], [{ user: 'bob' }, 2]);
  assert.deepEqual(data(await root.read('kv/data/app/db', { version: '1' }), 'data'), { user: 'ada', pin: '1' });
  assert.deepEqual(data(await root.list('kv/metadata'), 'keys'), ['app/']);
  assert.deepEqual(data(await root.list('kv/metadata/app'), 'keys'), ['db']);
});

test('kv patch, by merging and by reading and writing', async () => {
  await root.patch('kv/data/app/db', { data: { pin: '2', user: null }, options: {} });
  const { json } = (await root.read('kv/data/app/db')) ?? assert.fail('no answer');
  assert.deepEqual(at(json, 'data', 'data'), { pin: '2' });
  const version = at(json, 'data', 'metadata', 'version');
  await root.write('kv/data/app/db', { data: { pin: '3' }, options: { cas: version } });
  await assert.rejects(root.patch('kv/data/app/none', { data: { a: 'b' }, options: {} }), refused(404, '[]'));
});

test('kv delete, -versions, undelete, destroy', async () => {
  assert.equal(await root.remove('kv/data/app/db'), undefined);
  const gone = await root.read('kv/data/app/db');
  assert.deepEqual([gone?.status, data(gone, 'data')], [404, null]);
  assert.notEqual(data(gone, 'metadata', 'deletion_time'), '');
  // Versions go out as the texts of the flag.
  for (const [verb, versions] of [
    ['undelete', ['4']],
    ['delete', ['1', '2']],
    ['destroy', ['1']],
  ] as const) {
    assert.equal(await root.write(`kv/${verb}/app/db`, { versions }), undefined, verb);
  }
  const versions = Object(data(await root.read('kv/metadata/app/db'), 'versions'));
  const shown = Object.entries(versions).map(([v, of]) => [v, at(of, 'destroyed'), at(of, 'deletion_time') !== '']);
  assert.deepEqual(shown, [
    ['1', true, true],
    ['2', false, true],
    ['3', false, false],
    ['4', false, false],
  ]);
});

test('kv metadata put, patch, get, delete', async () => {
  const path = 'kv/metadata/app/db';
  const put = {
    max_versions: 6,
    delete_version_after: '1h30m0s',
    cas_required: true,
    custom_metadata: { owner: 'ada' },
  };
  assert.equal(await root.write(path, put), undefined);
  assert.equal(await root.patch(path, { custom_metadata: { team: 'x', owner: null } }), undefined);
  assert.equal(await root.patch(path, { cas_required: false, custom_metadata: {} }), undefined);
  const { versions, created_time, updated_time, ...rest } = Object(data(await root.read(path)));
  assert.deepEqual(rest, {
    ...{ cas_required: false, current_version: 4, custom_metadata: { team: 'x' }, delete_version_after: '1h30m0s' },
    ...{ max_versions: 6, oldest_version: 0 },
  });
  assert.ok(
    !Number.isNaN(Date.parse(created_time)) && !Number.isNaN(Date.parse(updated_time)) && versions !== undefined,
  );
  assert.equal(await root.remove(path), undefined);
  assert.equal(await root.read(path), undefined);
});

test('kv of version 1: put, get, list, scan, delete; then kv enable-versioning', async () => {
  await root.call('POST', 'sys/mounts/one', { type: 'kv', options: { version: '1' } });
  assert.deepEqual(data(await root.read('sys/internal/ui/mounts/one/a'), 'options', 'version'), '1');
  for (const path of ['a', 'app/db'])
    assert.equal(await root.write(`one/${path}`, { user: 'ada', ttl: '1h' }), undefined);
  const got = (await root.read('one/a')) ?? assert.fail('no answer');
  assert.deepEqual([at(got.json, 'data'), at(got.json, 'lease_duration')], [{ user: 'ada', ttl: '1h' }, 3_600]);
  assert.deepEqual(data(await root.list('one'), 'keys'), ['a', 'app/']);
  // The library scans by the method and says so in the query, too.
  const scanned = await root.call('SCAN', 'one', undefined, { scan: 'true' });
  assert.deepEqual(data(scanned, 'keys'), ['a', 'app/db']);
  assert.equal(await root.remove('one/a'), undefined);
  assert.equal(await root.read('one/a'), undefined);

  assert.equal(await root.call('POST', 'sys/mounts/one/tune', { options: { version: '2' } }), undefined);
  const kept = await root.read('one/data/app/db');
  assert.deepEqual([data(kept, 'data'), data(kept, 'metadata', 'version')], [{ user: 'ada', ttl: '1h' }, 1]);
  assert.deepEqual(data(await root.call('SCAN', 'one/metadata', undefined, { scan: 'true' }), 'keys'), ['app/db']);
});
