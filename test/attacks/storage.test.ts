// Known attack I6: whoever can change the store's bytes gets no value out of it, moves none, and is noticed.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lmdbStore } from '../../src/storage/lmdb.ts';
import type { Transaction } from '../../src/storage/store.ts';
import { type Client, ROOT, scratchFolder, startTarget } from './support.ts';

const EVERYTHING = { start: '', end: '\u{10ffff}', limit: 10_000 };

/** Runs over the closed store of a data folder, as an intruder with access to the disk would. */
async function tamper(folder: string, change: (tx: Transaction, at: (ending: string) => Promise<string>) => unknown) {
  const store = lmdbStore(join(folder, 'store'));
  await store.transact(async (tx) => {
    const keys = (await tx.range(EVERYTHING)).map(({ key }) => key);
    await change(tx, async (ending) => {
      const found = keys.filter((key) => key.endsWith(ending));
      assert.equal(found.length, 1, `one record ends in ${ending}: ${found}`);
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
  await tamper(data, async (tx, at) => {
    for (let i = 0; i < count; i++) {
      const key = await at(`/flip/${i}/1`);
      const value = await record(tx, key);
      size = value.length;
      // Over all records each byte of the first ones and each bit is met: version, term, nonce, text and tag.
      const place = i < count / 2 ? i : value.length - 1 - (i - count / 2);
      value.writeUInt8(value.readUInt8(place) ^ (1 << (i % 8)), place);
      tx.put(key, value);
    }
    const cut = await at('/cut/1');
    tx.put(cut, (await record(tx, cut)).subarray(0, -1));
    const long = await at('/long/1');
    tx.put(long, Buffer.concat([await record(tx, long), Buffer.alloc(1)]));
    tx.put(await at('/empty/1'), Buffer.alloc(0));
    tx.delete(await at('/gone/1'));
    const meta = await at('m/meta');
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
  await tamper(data, async (tx, at) => {
    const [a, b] = [await at('d/a/1'), await at('d/b/1')];
    const [first, second] = [await record(tx, a), await record(tx, b)];
    tx.put(a, second);
    tx.put(b, first);
    tx.put(await at('d/public/1'), await record(tx, await at('d/secret/1')));
    tx.put(await at('d/versions/2'), await record(tx, await at('d/versions/1')));
    const [one, two] = (await tx.range(EVERYTHING)).filter(({ key }) => key.endsWith('d/elsewhere/1'));
    assert.ok(one !== undefined && two !== undefined);
    tx.put(one.key, Buffer.from(two.value));
    tx.put(two.key, Buffer.from(one.value));
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
  await tamper(data, async (tx, at) => {
    tx.put(await at('policy/policy-0'), await record(tx, await at('policy/strong')));
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
