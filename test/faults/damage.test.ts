import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { at, HttpClient } from './client.ts';
import { launch, live } from './life.ts';

const PAGE = 4_096;
const SECRETS = 30;
const LONGEST_MILLIS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'keyhold-damage-'));
const file = join(folder, 'store', 'data.mdb');
const value = (i: number): string => String(i).padEnd(i % 5 === 0 ? 9_000 : 500, 'x');
let sound: Buffer;

before(async () => {
  const life = await live(folder);
  const client = new HttpClient(life.url);
  for (let i = 0; i < SECRETS; i++) {
    await client.send({ method: 'POST', path: `secret/data/${i}`, body: { data: { value: value(i) } } });
  }
  client.close();
  await life.end('SIGTERM');
  sound = readFileSync(file);
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** The store's file with a page overwritten. */
function garbled(page: number, fill: (offset: number) => number): Buffer {
  const copy = Buffer.from(sound);
  for (let offset = 0; offset < PAGE; offset++) copy[page * PAGE + offset] = fill(offset);
  return copy;
}

describe('a data file that is none any more: a clear sentence, exit code 1, and nothing is touched', () => {
  for (const [what, content] of [
    ['garbage', () => Buffer.alloc(10 * PAGE, 'garbage ')],
    ['zeros', () => Buffer.alloc(10 * PAGE)],
    ['cut after one page', () => sound.subarray(0, PAGE)],
    ['cut in the middle', () => sound.subarray(0, Math.floor(sound.length / 2 / PAGE) * PAGE)],
    ['another first page', () => garbled(0, (offset) => offset % 251)],
    ['another second page', () => garbled(1, (offset) => offset % 251)],
  ] as const) {
    test(what, async () => {
      const damaged = content();
      writeFileSync(file, damaged);
      const { child, ended } = launch(folder);
      const stuck = setTimeout(() => child.kill('SIGKILL'), LONGEST_MILLIS);
      const { code, err } = await ended;
      clearTimeout(stuck);
      assert.equal(code, 1, err);
      assert.match(err, /data\.mdb (is|cannot)/);
      assert.deepEqual(readFileSync(file), damaged);
    });
  }
});

describe('a page that was overwritten: what is answered is right, whatever becomes of the rest', () => {
  for (const [what, fill] of [
    ['ones', () => 0xff],
    ['noise', (offset: number) => (offset * 7_919) % 251],
  ] as const) {
    test(what, { timeout: 120_000 }, async () => {
      let found = 0;
      for (let page = 2; page < sound.length / PAGE; page += 6) {
        writeFileSync(file, garbled(page, fill));
        found += await goodAnswers(`page ${page}`);
      }
      assert.ok(found > SECRETS, `only ${found} secrets were still read`);
    });
  }
});

test('a file that lost its last pages: what is answered is right', { timeout: 60_000 }, async () => {
  const pages = sound.length / PAGE;
  for (const lost of [1, 4, 8]) {
    writeFileSync(file, sound.subarray(0, (pages - lost) * PAGE));
    await goodAnswers(`${lost} pages lost`);
  }
});

/** How a process may end on a damaged file: LMDB's pages carry no checksums, so the worst of them end it by a signal. */
const MAY_END: ReadonlySet<number | string> = new Set([0, 1, 'SIGSEGV', 'SIGBUS', 'SIGABRT']);

/** Starts the server where it does start, and reads every secret; the number that came back right. */
async function goodAnswers(what: string): Promise<number> {
  const life = await live(folder).catch((error: unknown) => {
    assert.match(String(error), /the server ended \((SIG[A-Z]+\)|1\):[\s\S]*keyhold: )/, what);
    return undefined;
  });
  if (life === undefined) return 0;
  const client = new HttpClient(life.url);
  let good = 0;
  for (let i = 0; i < SECRETS; i++) {
    const reply = await client.send({ method: 'GET', path: `secret/data/${i}` }).catch(() => undefined);
    if (reply === undefined) break;
    assert.ok([200, 404, 500].includes(reply.status), `${what}: ${reply.status}`);
    if (reply.status !== 200) continue;
    assert.equal(at(reply.json, 'data', 'data', 'value'), value(i), what);
    good++;
  }
  client.close();
  const { code, err } = await life.end('SIGTERM');
  assert.ok(MAY_END.has(code), `${what}: ${code} ${err}`);
  return good;
}
