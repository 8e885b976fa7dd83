import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { Failure } from '../failure.ts';
import { readSecret, type SecretInput } from './secret-input.ts';

/** A terminal, or a pipe, into which the chunks are typed. */
function typed(terminal: boolean, ...chunks: string[]): { input: SecretInput; raw: boolean[]; said: string[] } {
  const raw: boolean[] = [];
  const stream = new PassThrough();
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return {
    input: Object.assign(stream, { isTTY: terminal, setRawMode: (on: boolean) => raw.push(on) }),
    raw,
    said: [],
  };
}

const ask = (input: SecretInput, said: string[]) => readSecret(input, (text) => said.push(text), 'Key: ');

test('a pipe gives its first line, with no prompt', async () => {
  for (const [chunks, expected] of [
    [['abc\ndef\n'], 'abc'],
    [['ab', 'c\r\n'], 'abc'],
    [['abc'], 'abc'],
    [[' abc \n'], 'abc'],
    [['a\x7fb\x03\n'], 'a\x7fb\x03'],
    [[''], ''],
  ] as const) {
    const { input, raw, said } = typed(false, ...chunks);
    assert.equal(await ask(input, said), expected);
    assert.deepEqual([raw, said], [[], []]);
  }
});

test('a terminal is asked without echo, and is as before afterwards', async () => {
  for (const [chunks, expected] of [
    [['abc\r'], 'abc'],
    [['a', 'x', '\x7f', 'b\bbc\r'], 'abc'],
    [['\x7fab\x04'], 'ab'],
  ] as const) {
    const { input, raw, said } = typed(true, ...chunks);
    assert.equal(await ask(input, said), expected);
    assert.deepEqual(
      [raw, said],
      [
        [true, false],
        ['Key: ', '\n'],
      ],
    );
  }
  const { input, raw, said } = typed(true, 'ab\x03');
  await assert.rejects(ask(input, said), Failure);
  assert.deepEqual(raw, [true, false]);
});

test('both sides of the longest line', async () => {
  const fits = typed(false, 'k'.repeat(4_096), '\n');
  assert.equal((await ask(fits.input, [])).length, 4_096);
  const long = typed(false, 'k'.repeat(4_097));
  await assert.rejects(ask(long.input, []), /longer than 4096 characters/);
});
