import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { api, type Ended, run, runServer, scratchFolder } from './testing.ts';

/** The values of a kind that a command printed: `Unseal Key 1: …`. */
const values = ({ out }: Ended, name: string): string[] =>
  [...out.matchAll(new RegExp(`^${name}: (\\S+)$`, 'gm'))].map(([, value]) => value ?? '');

describe('the life of a sealed server, by the command', () => {
  test('init, unseal, seal, stop, start, unseal', async () => {
    const data = scratchFolder();
    const server = await runServer(['--data', data]);
    const at = (url: string) => (args: string[], input?: string, token?: string) =>
      run(args, {
        ...(input === undefined ? {} : { input }),
        environment: { KEYHOLD_ADDR: url, ...(token === undefined ? {} : { KEYHOLD_TOKEN: token }) },
      });
    const call = at(server.url);

    const fresh = await call(['status']);
    assert.equal(fresh.code, 2);
    assert.match(fresh.out, /^Initialized +false\nSealed +true$/m);
    const early = await call(['operator', 'unseal', 'AAAA']);
    assert.equal(early.code, 1);
    assert.match(early.err, /^keyhold: the server at http.* answered 400: /);

    const refused = await call(['operator', 'init', '--shares', '2', '--threshold', '3']);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /answered 400: .*threshold/);
    assert.equal((await call(['operator', 'init', '--shares', '256'])).code, 2);

    const init = await call(['operator', 'init', '--shares', '3', '--threshold=2']);
    assert.equal(init.code, 0, init.err);
    const keys = values(init, 'Unseal Key \\d');
    const [token = ''] = values(init, 'Initial Root Token');
    assert.equal(keys.length, 3);
    assert.match(token, /^s\./);
    const [first = '', second = '', third = ''] = keys;
    const again = await call(['operator', 'init']);
    assert.deepEqual([again.code, again.out], [1, '']);
    assert.match(again.err, /initialised already/);

    const one = await call(['operator', 'unseal', first]);
    assert.equal(one.code, 0);
    assert.match(one.out, /^Unseal progress +1\/2$/m);
    const two = await call(['operator', 'unseal'], `${second}\n`);
    assert.equal(two.code, 0, two.err);
    assert.match(two.out, /^Sealed +false$/m);
    const open = await call(['status', '--format', 'json']);
    assert.equal(open.code, 0);
    assert.deepEqual([JSON.parse(open.out).sealed, JSON.parse(open.out).n], [false, 3]);
    assert.equal((await api(server.url, token, 'GET', 'auth/token/lookup-self')).status, 200);

    const nobody = await call(['operator', 'seal']);
    assert.equal(nobody.code, 2);
    assert.match(nobody.err, /KEYHOLD_TOKEN/);
    const stranger = await call(['operator', 'seal'], undefined, 's.none');
    assert.equal(stranger.code, 1);
    assert.match(stranger.err, /answered 403: permission denied/);
    assert.equal((await call(['status'])).code, 0);
    const sealed = await call(['operator', 'seal'], undefined, token);
    assert.deepEqual([sealed.code, sealed.out], [0, 'The server is sealed.\n']);
    assert.equal((await call(['status'])).code, 2);
    assert.equal((await call(['operator', 'unseal', third])).code, 0);
    assert.equal((await call(['operator', 'unseal', first])).code, 0);
    assert.equal((await call(['status'])).code, 0);
    assert.equal((await server.stop()).code, 0);

    const restarted = await runServer(['--data', data]);
    const then = at(restarted.url);
    assert.equal((await then(['status'])).code, 2);
    assert.equal((await api(restarted.url, token, 'GET', 'auth/token/lookup-self')).status, 503);
    const pieces = await then(['operator', 'unseal', '--format', 'json'], second);
    assert.equal(JSON.parse(pieces.out).progress, 1);
    assert.equal((await then(['operator', 'unseal', third])).code, 0);
    assert.equal((await api(restarted.url, token, 'GET', 'auth/token/lookup-self')).status, 200);
    const { err, out } = await restarted.stop();
    for (const secret of [...keys, token]) assert.ok(!err.includes(secret) && !out.includes(secret));
  });

  test('a key file opens the server by itself, but not what an operator sealed', async () => {
    const folder = scratchFolder();
    const data = join(folder, 'data');
    const key = join(folder, 'key');
    writeFileSync(key, Buffer.alloc(32, 5), { mode: 0o600 });
    const args = ['--data', data, '--seal-key-file', key];
    const call = (url: string, words: string[], token = '') =>
      run(words, { environment: { KEYHOLD_ADDR: url, KEYHOLD_TOKEN: token } });

    const first = await runServer(args);
    const init = await call(first.url, ['operator', 'init', '--shares', '1', '--threshold', '1', '--format', 'json']);
    assert.equal(init.code, 0, init.err);
    const { root_token: token, recovery_keys_base64: keys, keys_base64: none } = JSON.parse(init.out);
    assert.deepEqual([keys.length, none.length], [1, 0]);
    assert.equal((await call(first.url, ['status'])).code, 0);
    await first.stop();

    const second = await runServer(args);
    const open = await call(second.url, ['status']);
    assert.equal(open.code, 0);
    assert.match(open.out, /^Recovery shares +1$/m);
    assert.equal((await call(second.url, ['operator', 'seal'], token)).code, 0);
    await second.stop();

    const third = await runServer(args);
    assert.equal((await call(third.url, ['status'])).code, 2);
    assert.equal((await call(third.url, ['operator', 'unseal', keys[0]])).code, 0);
    assert.equal((await call(third.url, ['status'])).code, 0);
    assert.match((await third.stop()).err, /an operator sealed this server/);

    const start = (more: string[]) => run(['server', '--listen', '127.0.0.1:0', ...more]);
    const without = await start(['--data', data]);
    assert.equal(without.code, 1);
    assert.match(without.err, /^keyhold: seal_key_file: the data in .* opens by a key file; name it\n$/);
    const other = join(folder, 'other');
    writeFileSync(other, Buffer.alloc(32, 6), { mode: 0o600 });
    const wrong = await start(['--data', data, '--seal-key-file', other]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /^keyhold: seal_key_file: the server does not open by it: /m);
    const missing = await start(['--data', data, '--seal-key-file', join(folder, 'none')]);
    assert.equal(missing.code, 1);
    assert.match(missing.err, /^keyhold: seal_key_file: .*none: there is no such file\n$/);
    chmodSync(key, 0o640);
    const shared = await start(['--data', join(folder, 'new'), '--seal-key-file', key]);
    assert.equal(shared.code, 1);
    assert.match(shared.err, /^keyhold: seal_key_file: .*chmod 600/);
    chmodSync(key, 0o600);

    const shares = join(folder, 'shares');
    const plain = await runServer(['--data', shares]);
    assert.equal((await call(plain.url, ['operator', 'init'])).code, 0);
    await plain.stop();
    const mixed = await start(['--data', shares, '--seal-key-file', key]);
    assert.equal(mixed.code, 1);
    assert.match(
      mixed.err,
      /^keyhold: seal_key_file: the data in .* opens by shares, not by a key file; leave it out\n$/,
    );
  });
});
