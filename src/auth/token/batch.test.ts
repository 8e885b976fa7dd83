import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { at } from '../../sys/testing.ts';
import { MAX_BATCH_LENGTH } from '../../tokens/value.ts';
import { TokenServer } from './testing.ts';

const CHECKSUM = 6;

/** The checksum is no secret: whoever alters a token can make it anew. */
function signed(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return `b.${text}${bytes.toString('base64url')}`;
}

const open = async (body: object = {}) => {
  const tokens = await TokenServer.open();
  const made = await tokens.make({ type: 'batch', policies: ['maker'], ttl: 600, ...body });
  return { tokens, ...made, text: made.token.slice(2, -CHECKSUM) };
};

describe('a batch token', () => {
  test('costs no storage, and opens what its policies say until its time is up', async () => {
    const { tokens, token } = await open({ meta: { team: 'blue' } });
    const before = tokens.stored('');
    const other = await tokens.child(tokens.server.root, { type: 'batch', policies: ['maker'], ttl: 600 });
    assert.deepEqual(tokens.stored(''), before);
    const self = await tokens.self(other);
    assert.deepEqual(
      ['type', 'accessor', 'id', 'ttl', 'renewable', 'num_uses'].map((name) => at(self, name)),
      ['batch', '', other, 600, false, 0],
    );
    assert.deepEqual(at(await tokens.self(token), 'meta'), { team: 'blue' });
    assert.equal(await tokens.status('lookup', { token: other }, token), 200);
    tokens.pass(599.999);
    assert.ok(await tokens.lives(other));
    tokens.pass(0.001);
    assert.ok(!(await tokens.lives(other)));
    assert.equal(await tokens.status('lookup', { token: other }), 403);
    assert.equal(await tokens.status('renew', { token: other }), 400);
  });

  test('altered in any character is none, with its checksum or with one made anew', async () => {
    const { tokens, token, text } = await open();
    assert.equal(signed(text), token);
    assert.ok(await tokens.lives(token));
    for (let i = 0; i < text.length; i += 7) {
      const other = text[i] === 'A' ? 'B' : 'A';
      const altered = text.slice(0, i) + other + text.slice(i + 1);
      for (const value of [signed(altered), `b.${altered}${token.slice(-CHECKSUM)}`]) {
        assert.ok(!(await tokens.lives(value)), `character ${i}`);
      }
    }
  });

  test('has one spelling', async () => {
    const { tokens, token, text } = await open();
    const last = String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
    for (const value of [
      signed(`${text}=`),
      signed(`${text}A`),
      signed(`${text.slice(0, 9)}!${text.slice(9)}`),
      signed(`${text.slice(0, 9)} ${text.slice(9)}`),
      signed(`${text.slice(0, 9)}\n${text.slice(9)}`),
      signed(text.slice(0, -1) + last),
      signed(text.replaceAll('_', '/').replaceAll('-', '+')),
      `B${token.slice(1)}`,
      `s${token.slice(1)}`,
      ` ${token}`,
      `${token} `,
      token.slice(2),
    ]) {
      if (value === token) continue;
      assert.ok(!(await tokens.lives(value)), value.slice(0, 12));
      assert.equal(await tokens.status('lookup', { token: value }), 403);
    }
  });

  test('cut short at any place is none, and nothing fails', async () => {
    const { tokens, token, text } = await open();
    for (let length = 0; length < text.length; length += length < 48 ? 1 : 41) {
      for (const value of [signed(text.slice(0, length)), signed(text.slice(length + 1)), token.slice(0, length)]) {
        if (value !== '') assert.ok(!(await tokens.lives(value)), `${length}`);
      }
    }
    assert.deepEqual(tokens.server.logged, [], 'what strangers made up is not for the log');
  });

  test('of another server is none here', async () => {
    const [one, other] = [await open(), await open()];
    assert.ok(!(await one.tokens.lives(other.token)));
    assert.ok(await other.tokens.lives(other.token));
  });

  test('lives on when the keyring is rotated, and when the server is sealed and opened again', async () => {
    const { tokens, token } = await open();
    const { server } = tokens;
    for (let i = 0; i < 3; i++) assert.equal((await server.call('POST', 'sys/rotate')).status, 204);
    assert.ok(await tokens.lives(token));
    await server.service.barrier.seal();
    await server.service.barrier.submit(server.unsealKey);
    assert.ok(await tokens.lives(token));
    const later = await tokens.child(server.root, { type: 'batch', policies: ['maker'] });
    assert.ok(await tokens.lives(later));
  });

  test('is not what the barrier has sealed for storage', async () => {
    const { tokens } = await open();
    let tried = 0;
    for (const value of tokens.server.store.contents().values()) {
      const text = value.toString('base64url');
      if (text.length > MAX_BATCH_LENGTH - 8) continue;
      assert.ok(!(await tokens.lives(signed(text))));
      tried++;
    }
    assert.ok(tried > 5);
  });

  test('fits into a header, or is not made', async () => {
    const tokens = await TokenServer.open();
    const make = (length: number) =>
      tokens.call('create', { type: 'batch', policies: ['maker'], meta: { a: 'x'.repeat(length) } });
    let [fits, not] = [0, MAX_BATCH_LENGTH];
    while (not - fits > 1) {
      const middle = Math.floor((fits + not) / 2);
      if ((await make(middle)).status === 200) fits = middle;
      else not = middle;
    }
    const longest = String(at((await make(fits)).json, 'auth', 'client_token'));
    assert.ok(longest.length > MAX_BATCH_LENGTH - 8 && longest.length <= MAX_BATCH_LENGTH, String(longest.length));
    assert.ok(await tokens.lives(longest));
    const { status, json } = await make(fits + 1);
    assert.equal(status, 400);
    assert.match(String(at(json, 'errors', '0')), /^type: /);
    assert.ok(!(await tokens.lives(`b.${'A'.repeat(100_000)}`)));
  });

  test('creates nothing, holds nothing, and is neither renewed nor revoked', async () => {
    const { tokens, token } = await open();
    const refused = ['create', 'create-orphan', 'renew-self', 'revoke-self'];
    for (const path of refused) assert.equal(await tokens.status(path, {}, token), 400, path);
    for (const method of ['POST', 'GET', 'LIST', 'DELETE']) {
      const body = method === 'POST' ? { a: 'b' } : undefined;
      const { token: strong } = await tokens.make({ type: 'batch', policies: ['default'] });
      const { status } = await tokens.server.call(method, 'cubbyhole/x', { token: strong, body });
      assert.equal(status, 400, method);
    }
    for (const path of ['lookup-accessor', 'renew-accessor', 'revoke-accessor']) {
      assert.equal(await tokens.status(path, { accessor: '' }), 400);
    }
    assert.ok(await tokens.lives(token));
  });

  test('is told what it may do, by itself and by others', async () => {
    const { tokens, token } = await open();
    const paths = { paths: ['auth/token/create', 'secret/x'] };
    const ask = async (path: string, body: object, by?: string) =>
      at(
        (await tokens.server.call('POST', `sys/${path}`, { body, ...(by === undefined ? {} : { token: by }) })).json,
        'data',
      );
    const wanted = {
      'auth/token/create': ['create', 'delete', 'list', 'read', 'sudo', 'update'],
      'secret/x': ['deny'],
    };
    const other = await tokens.child(tokens.server.root, { type: 'batch', policies: ['maker', 'default'] });
    assert.deepEqual(await ask('capabilities', { ...paths, token }), wanted);
    assert.deepEqual(await ask('capabilities-self', paths, other), wanted);
    assert.equal(
      (await tokens.server.call('POST', 'sys/capabilities', { body: { ...paths, token: signed('AAAA') } })).status,
      400,
    );
  });

  test('travels wrapped, and wraps', async () => {
    const tokens = await TokenServer.open();
    const headers = { 'x-service-wrap-ttl': '60' };
    const wrapped = await tokens.call('create', { type: 'batch', policies: ['maker'] }, undefined, { headers });
    assert.ok(!wrapped.text.includes('"b.'));
    const token = String(at(wrapped.json, 'wrap_info', 'token'));
    const opened = await tokens.server.call('POST', 'sys/wrapping/unwrap', { token });
    const batch = String(at(opened.json, 'auth', 'client_token'));
    assert.ok(batch.startsWith('b.') && (await tokens.lives(batch)));
    const again = await tokens.call('lookup', { token: batch }, batch, { headers });
    const inner = String(at(again.json, 'wrap_info', 'token'));
    assert.equal((await tokens.server.call('POST', 'sys/wrapping/unwrap', { token: inner })).status, 200);
    assert.ok(!(await tokens.lives(inner)));
  });

  test('ends with its parent’s last use, and with its mount-given limits no later', async () => {
    const tokens = await TokenServer.open();
    const { token: parent } = await tokens.make({ policies: ['maker'], ttl: 60 });
    const batch = await tokens.child(parent, { type: 'batch', ttl: '2h' });
    assert.equal(at(await tokens.self(batch), 'ttl'), 7_200);
    tokens.pass(60);
    assert.ok(!(await tokens.lives(batch)));
    await tokens.settle();
    assert.ok(!(await tokens.lives(batch)), 'its parent is not let go by the sweep');
  });

  test('of the 32nd generation cannot be made either', async () => {
    const tokens = await TokenServer.open();
    let { token } = await tokens.make({ policies: ['maker'] });
    for (let generation = 3; generation <= 32; generation++) token = await tokens.child(token);
    assert.equal(await tokens.status('create', { type: 'batch' }, token), 400);
    const { token: orphan } = await tokens.make({ type: 'batch' }, token, 'create-orphan');
    assert.ok(await tokens.lives(orphan));
  });
});
