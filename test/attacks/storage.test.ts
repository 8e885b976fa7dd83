// Known attack I6: whoever can change the store's bytes gets no value out of it, moves none, and is noticed.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Barrier } from '../../src/barrier/index.ts';
import { MountStore, mountPrefix } from '../../src/core/mount-store.ts';
import { readMounts } from '../../src/core/state.ts';
import { dataKey, findSecret, METADATA, numbered } from '../../src/engines/kv/secret.ts';
import { lmdbStore } from '../../src/storage/lmdb.ts';
import type { Store, Transaction } from '../../src/storage/store.ts';
import { at, type Client, ROOT, scratchFolder, startTarget } from './support.ts';

const EVERYTHING = { start: '', end: '\u{10ffff}', limit: 10_000 };

/**
 * Where the data of the versions in `secret/` and `other/` lies, by mount, path and number. The folder does not tell whose
 * a record of data is, so this asks more than an intruder could: he may guess right.
 */
async function placesOf(store: Store, folder: string): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  const keys = await store.transact(async (tx) => (await tx.range(EVERYTHING)).map(({ key }) => key));
  const barrier = new Barrier(store);
  const unsealKey = at(JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8')), 'unseal_key');
  await barrier.submit(Buffer.from(String(unsealKey), 'base64'));
  await barrier.transact(async (tx) => {
    for (const { path: mount, uuid, type } of await readMounts(tx)) {
      const prefix = mountPrefix(uuid);
      for (const key of type === 'kv' ? keys.filter((key) => key.startsWith(prefix + METADATA)) : []) {
        const path = key.slice((prefix + METADATA).length);
        const secret = await findSecret(new MountStore(tx, uuid, () => {}), path);
        if (secret === undefined) continue;
        for (const { number } of numbered(secret)) {
          places.set(`${mount}${path}/${number}`, prefix + dataKey(secret, number));
        }
      }
    }
  });
  return places;
}

/** Runs over the closed store of a data folder, as an intruder with access to the disk would. */
async function tamper(folder: string, change: (tx: Transaction, find: (name: string) => Promise<string>) => unknown) {
  const store = lmdbStore(join(folder, 'store'));
  const places = await placesOf(store, folder);
  await store.transact(async (tx) => {
    const keys = (await tx.range(EVERYTHING)).map(({ key }) => key);
    await change(tx, async (name) => {
      const found = keys.filter((key) => key === places.get(name) || key.endsWith(name));
      assert.equal(found.length, 1, `one record is of ${name}: ${found}`);
      return found[0] ?? '';
    });
  });
  await store.close();
}

async function record(tx: Transaction, key: string): Promise<Buffer> {
  const value = await tx.get(key);
  assert.ok(value !== undefined, key);
  return Buffer.from(value);
}

/** A server with data, stopped; starting it again gives it as the intruder left it. */
async function stopped(fill: (client: Client) => Promise<void>): Promise<string> {
  const data = scratchFolder();
  const target = await startTarget({ data });
  await fill(target);
  target.close();
  await target.server.stop();
  return data;
}

const FAILED = 500;

test('I6 a record with one byte flipped, cut, lengthened or emptied does not open', async () => {
  const count = 48;
  const data = await stopped(async (client) => {
    for (let i = 0; i < count; i++) await client.put(`secret/data/flip/${i}`, `canary-${i}`);
    for (const name of ['cut', 'long', 'empty', 'gone', 'untouched']) await client.put(`secret/data/${name}`, 'canary');
    await client.put('secret/data/meta', 'canary');
  });
  let size = 0;
  await tamper(data, async (tx, find) => {
    for (let i = 0; i < count; i++) {
      const key = await find(`secret/flip/${i}/1`);
      const value = await record(tx, key);
      size = value.length;
      // Over all records each byte of the first ones and each bit is met: version, term, nonce, text and tag.
      const place = i < count / 2 ? i : value.length - 1 - (i - count / 2);
      value.writeUInt8(value.readUInt8(place) ^ (1 << (i % 8)), place);
      tx.put(key, value);
    }
    const cut = await find('secret/cut/1');
    tx.put(cut, (await record(tx, cut)).subarray(0, -1));
    const long = await find('secret/long/1');
    tx.put(long, Buffer.concat([await record(tx, long), Buffer.alloc(1)]));
    tx.put(await find('secret/empty/1'), Buffer.alloc(0));
    tx.delete(await find('secret/gone/1'));
    const meta = await find('m/meta');
    const value = await record(tx, meta);
    value.writeUInt8(value.readUInt8(value.length - 20) ^ 1, value.length - 20);
    tx.put(meta, value);
  });
  assert.ok(size > count / 2);
  const target = await startTarget({ data });
  const paths = [...Array.from({ length: count }, (_, i) => `flip/${i}`), 'cut', 'long', 'empty', 'gone', 'meta'];
  for (const path of paths) {
    const { status, text } = await target.send('GET', `secret/data/${path}`);
    assert.equal(status, FAILED, path);
    assert.ok(!text.includes('canary') && /request [0-9a-f-]{36}/.test(text), text);
  }
  assert.equal(
    target.logged.filter((line) => line.startsWith('a request failed')).length,
    paths.length,
    'each is logged',
  );
  assert.ok(!target.logged.some((line) => line.includes('canary')));
  assert.equal(await target.value('secret/data/untouched'), 'canary');
  await target.expect(200, 'GET', 'sys/health');
});

test('I6 a record that is moved, swapped or copied to another path does not open', async () => {
  const data = await stopped(async (client) => {
    for (const name of ['a', 'b', 'public', 'secret', 'untouched'])
      await client.put(`secret/data/${name}`, `of-${name}`);
    await client.put('secret/data/versions', 'first');
    await client.put('secret/data/versions', 'second');
    await client.expect(204, 'POST', 'sys/mounts/other', { body: { type: 'kv-v2' } });
    await client.put('other/data/elsewhere', 'of-other');
    await client.put('secret/data/elsewhere', 'of-secret');
  });
  await tamper(data, async (tx, find) => {
    const [a, b] = [await find('secret/a/1'), await find('secret/b/1')];
    const [first, second] = [await record(tx, a), await record(tx, b)];
    tx.put(a, second);
    tx.put(b, first);
    tx.put(await find('secret/public/1'), await record(tx, await find('secret/secret/1')));
    tx.put(await find('secret/versions/2'), await record(tx, await find('secret/versions/1')));
    const [one, two] = [await find('secret/elsewhere/1'), await find('other/elsewhere/1')];
    const [own, foreign] = [await record(tx, one), await record(tx, two)];
    tx.put(one, foreign);
    tx.put(two, own);
  });
  const target = await startTarget({ data });
  for (const path of [
    'secret/data/a',
    'secret/data/b',
    'secret/data/public',
    'secret/data/versions',
    'secret/data/elsewhere',
    'other/data/elsewhere',
  ]) {
    const { status, text } = await target.send('GET', path);
    assert.equal(status, FAILED, path);
    assert.doesNotMatch(text, /of-|first|second/);
  }
  assert.equal(await target.value('secret/data/secret'), 'of-secret');
  assert.equal(await target.value('secret/data/untouched'), 'of-untouched');
});

test('I6 a token or a policy does not become another by moving its record', async () => {
  let weak = '';
  const data = await stopped(async (client) => {
    await client.put('secret/data/hidden', 'canary');
    await client.expect(204, 'POST', 'sys/policies/acl/strong', { body: { policy: 'path "*" { policy = "sudo" }' } });
    weak = await client.tokenWith('path "secret/data/own" { capabilities = ["read"] }');
  });
  await tamper(data, async (tx, find) => {
    tx.put(await find('policy/policy-0'), await record(tx, await find('policy/strong')));
  });
  const moved = await startTarget({ data });
  const { status, text } = await moved.send('GET', 'secret/data/hidden', { token: weak });
  assert.ok(status >= 400 && !text.includes('canary'), String(status));
  moved.close();
  await moved.server.stop();

  const tokens: string[] = [];
  await tamper(data, async (tx) => {
    const entries = (await tx.range(EVERYTHING)).filter(({ key }) => key.includes('token/'));
    tokens.push(...entries.map(({ key }) => key));
    const [one, two] = entries;
    assert.ok(one !== undefined && two !== undefined, 'root and the weak one');
    // Each takes the other's place, so one of them is asked for root's rights whichever it is.
    tx.put(one.key, Buffer.from(two.value));
    tx.put(two.key, Buffer.from(one.value));
  });
  assert.equal(tokens.length, 2);
  // In development mode the root token is looked up at the start: the server refuses to go on.
  await assert.rejects(startTarget({ data }));
});

test('I6 a changed keyring, seal or mount table is not worked with', async () => {
  const before = await stopped((client) => client.put('secret/data/a', 'canary'));
  const keys: string[] = [];
  await tamper(before, async (tx) => {
    keys.push(...(await tx.range(EVERYTHING)).map(({ key }) => key));
  });
  assert.ok(['core/keyring', 'core/mounts', 'core/seal'].every((name) => keys.includes(name)));
  for (const name of keys.filter((key) => /^(barrier|core)\b/.test(key) && !/revision/.test(key))) {
    const data = await stopped((client) => client.put('secret/data/a', 'canary'));
    await tamper(data, async (tx) => {
      const value = await record(tx, name);
      value.writeUInt8(value.readUInt8(value.length - 1) ^ 1, value.length - 1);
      tx.put(name, value);
    });
    const outcome = await startTarget({ data }).then(
      async (target) => (await target.send('GET', 'secret/data/a')).text,
      (error: unknown) => String(error),
    );
    // The cluster's name decides nothing; it is damaged for itself alone.
    if (name !== 'core/cluster') assert.ok(!outcome.includes('canary'), `${name}: ${outcome}`);
  }
});

test('I6 a stolen folder shows no value and no token, in whatever spelling', async () => {
  const canaries = ['kanarienvogel-data', 'kanarienvogel-meta', 'kanarienvogel-policy', 'kanarienvogel-description'];
  let token = '';
  const data = await stopped(async (client) => {
    await client.put('secret/data/a', 'kanarienvogel-data');
    await client.expect(204, 'POST', 'secret/metadata/a', { body: { custom_metadata: { a: 'kanarienvogel-meta' } } });
    await client.expect(204, 'POST', 'sys/policies/acl/p', {
      body: { policy: 'path "kanarienvogel-policy" { policy = "read" }' },
    });
    await client.expect(204, 'POST', 'sys/mounts/m', {
      body: { type: 'kv-v2', description: 'kanarienvogel-description' },
    });
    token = await client.token({ policies: ['p'], meta: { a: 'kanarienvogel-meta' } });
  });
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' })
    .map((name) => join(data, name))
    .filter((file) => statSync(file).isFile());
  assert.ok(files.length > 1);
  assert.equal(statSync(data).mode & 0o077, 0, 'the folder is its owner alone');
  for (const file of files) {
    // Development mode keeps its own secrets, and no others, in a file of its own.
    const secrets = file.endsWith('dev.json') ? [...canaries, token] : [...canaries, token, ROOT];
    const bytes = readFileSync(file);
    for (const secret of secrets) {
      for (const encoding of ['utf8', 'utf16le'] as const) {
        assert.equal(bytes.indexOf(Buffer.from(secret, encoding)), -1, `${secret} in ${file}`);
      }
      assert.equal(bytes.indexOf(Buffer.from(secret).toString('base64').slice(0, 16)), -1, `${secret} in ${file}`);
    }
  }
});
