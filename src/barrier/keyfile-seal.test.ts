import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CorruptRecord } from './errors.ts';
import { keyFileSeal } from './keyfile-seal.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyhold-seal-'));
});
after(() => rm(folder, { recursive: true }));

let files = 0;
async function file(content: string | Buffer, mode = 0o600): Promise<string> {
  const path = join(folder, `key-${files++}`);
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

const key = randomBytes(32);
const root = randomBytes(32);
const FORMS: readonly (readonly [string, string | Buffer])[] = [
  ['raw', key],
  ['hex', key.toString('hex')],
  ['HEX with a line end', `${key.toString('hex').toUpperCase()}\n`],
  ['base64', key.toString('base64')],
  ['base64 with CR LF', `${key.toString('base64')}\r\n`],
];

for (const [name, content] of FORMS) {
  test(`the same key as ${name} opens what the raw one sealed`, async () => {
    const wrapped = await keyFileSeal(await file(key)).wrap(root);
    assert.ok(!wrapped.includes(root));
    assert.deepEqual(await keyFileSeal(await file(content)).unwrap(wrapped), root);
  });
}

const NO_KEYS: readonly (readonly [string, string | Buffer])[] = [
  ['empty', ''],
  ['31 bytes', key.subarray(1)],
  ['33 bytes', Buffer.concat([key, Buffer.from([1])])],
  ['63 digits', key.toString('hex').slice(1)],
  ['65 digits', `${key.toString('hex')}0`],
  ['64 letters', 'g'.repeat(64)],
  ['base64 without its end', key.toString('base64').replace('=', '')],
  ['base64 of 31 bytes', key.subarray(1).toString('base64')],
  ['two line ends', `${key.toString('hex')}\n\n`],
  ['a blank before', ` ${key.toString('hex')}`],
  ['too long', 'a'.repeat(129)],
];

for (const [name, content] of NO_KEYS) {
  test(`a file that holds no key is refused: ${name}`, async () => {
    const path = await file(content);
    await assert.rejects(async () => keyFileSeal(path).wrap(root), /it must hold 32 raw bytes/);
  });
}

for (const [mode, works] of [
  [0o600, true],
  [0o400, true],
  [0o640, false],
  [0o604, false],
  [0o620, false],
  [0o602, false],
  [0o610, false],
  [0o644, false],
] as const) {
  test(`mode ${mode.toString(8)} is ${works ? 'taken' : 'refused'}`, async () => {
    const path = await file(key, mode);
    const wrapped = async (): Promise<Buffer> => keyFileSeal(path).wrap(root);
    if (works) assert.equal((await wrapped()).length, 32 + 33);
    else await assert.rejects(wrapped, /open to others than its owner/);
  });
}

test('a link counts as the file that it names; a folder and a missing file are refused', async () => {
  const link = join(folder, 'link');
  await symlink(await file(key, 0o644), link);
  await assert.rejects(async () => keyFileSeal(link).wrap(root), /open to others/);
  await assert.rejects(async () => keyFileSeal(folder).wrap(root), /not a regular file/);
  await assert.rejects(async () => keyFileSeal(join(folder, 'none')).wrap(root), { code: 'ENOENT' });
});

test('another key does not unwrap', async () => {
  const wrapped = await keyFileSeal(await file(key)).wrap(root);
  const other = await file(randomBytes(32));
  await assert.rejects(async () => keyFileSeal(other).unwrap(wrapped), CorruptRecord);
});
