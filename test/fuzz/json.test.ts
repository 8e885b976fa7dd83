import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { ServiceError } from '../../src/framework/errors.ts';
import { items, type Json, members, scanJson, stringValue } from '../../src/framework/json/index.ts';

/**
 * The scanner against JSON.parse: it accepts exactly what that accepts, save what is over its limits or too large for a
 * double, and reads the same values. `FUZZ_SEED` and `FUZZ_RUNS` repeat or lengthen a run; a failure prints its seed.
 */
const { FUZZ_RUNS = '3000', FUZZ_SEED } = process.env;
const settings = {
  numRuns: Number(FUZZ_RUNS),
  ...(FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) }),
};

/** A value read through the slices alone, built the way JSON.parse builds it. */
function plainValue(json: Json): unknown {
  switch (json.kind) {
    case 'object': {
      const object = {};
      for (const [name, value] of members(json)) {
        Object.defineProperty(object, name, {
          value: plainValue(value),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      return object;
    }
    case 'array':
      return items(json).map(plainValue);
    case 'string':
      // A string with half of a surrogate pair has no value here, by rule; JSON.parse gives one.
      return /\\u[dD][89a-fA-F]/.test(json.text) ? JSON.parse(json.text) : stringValue(json);
    case 'number':
      return Number(json.text);
    default:
      return json.text === 'null' ? null : json.text === 'true';
  }
}

const overflow = Symbol('a number beyond a double');

/** What JSON.parse says of the bytes; undefined when it refuses them. */
function oracle(bytes: Buffer): { readonly value: unknown } | typeof overflow | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    let infinite = false;
    const value: unknown = JSON.parse(text, (_name, inner: unknown) => {
      if (inner === Number.POSITIVE_INFINITY || inner === Number.NEGATIVE_INFINITY) infinite = true;
      return inner;
    });
    // The reviver misses members that a later duplicate replaced, and rebuilds nothing else: parse again without it.
    return infinite ? overflow : { value: value === undefined ? undefined : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/**
 * V8 13 and 14 may answer a wrong name for one with an escape, after another object of this realm had a name that looks
 * like its source (nodejs/node issue 63785). A new realm remembers no objects, so it decides when the two differ.
 */
const freshlyParsed = (bytes: Buffer): unknown =>
  runInNewContext('JSON.stringify(JSON.parse(text))', { text: bytes.toString() });

function check(bytes: Buffer): boolean {
  const expected = oracle(bytes);
  let json: Json | undefined;
  try {
    json = scanJson(bytes);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.status === 400, 'a refusal is a 400');
    if (expected !== undefined && expected !== overflow) {
      assert.match(error.message, /too large for a double/, `refused but valid: ${bytes.toString()}`);
    }
    return false;
  }
  assert.ok(
    expected !== undefined && expected !== overflow,
    `accepted but invalid: ${JSON.stringify(bytes.toString())}`,
  );
  const value = plainValue(json);
  if (!isDeepStrictEqual(value, expected.value)) assert.equal(JSON.stringify(value), freshlyParsed(bytes));
  assert.equal(
    json.text,
    bytes
      .toString()
      .replace(/^[ \t\r\n]+/, '')
      .replace(/[ \t\r\n]+$/, ''),
  );
  return true;
}

const corpus = [
  '{"data":{"a":"x\\n\\u00e9\\\\\\"","b":-12.50e+3,"c":[true,false,null,{},[]],"__proto__":{"10":1,"2":[""]}},"options":{"cas":0}}',
  ' [ 0 , -0 , 1e5 , 0.1 , "\\ud83d\\ude00" , { "a" : { } , "a" : [ ] } , [ [ ] , [ 1 ] ] ] ',
  '{"é":"😀","":"","\\/":"\\b\\f\\r\\t"}',
  '[1.5E-300,12345678901234567890,1e308,"\\ud800",9.9e-999]',
].map((text) => Buffer.from(text));

const pieces = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u',
  '00',
  '0',
  '-',
  '.',
  'e',
  'E+',
  '9',
  'true',
  'null',
  ' ',
  '\n',
  '\0',
  '\x1f',
  'é',
  '\ufeff',
  '"a":',
  'd8',
  '1e999',
];

describe('the JSON scanner against JSON.parse', () => {
  test('valid values, compact and indented', () => {
    const values = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' });
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        assert.ok(check(Buffer.from(JSON.stringify(value, null, indent))), 'valid JSON was refused');
      }),
      settings,
    );
  });

  test('a corpus with bytes replaced, removed, inserted and cut', () => {
    const edit = fc.record({
      at: fc.nat(200),
      remove: fc.nat(3),
      insert: fc.oneof(
        fc.constant(Buffer.alloc(0)),
        fc.constantFrom(...pieces).map((piece) => Buffer.from(piece)),
        fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
      ),
    });
    let accepted = 0;
    fc.assert(
      fc.property(fc.constantFrom(...corpus), fc.array(edit, { maxLength: 3 }), (seed, edits) => {
        let bytes = seed;
        for (const { at, remove, insert } of edits) {
          const place = at % (bytes.length + 1);
          bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + remove)]);
        }
        if (check(bytes)) accepted += 1;
      }),
      settings,
    );
    assert.ok(accepted > 0, 'some edits leave valid JSON');
  });

  test('a corpus with any one byte replaced by any other', () => {
    for (const seed of corpus) {
      for (let at = 0; at < seed.length; at += 1) {
        const bytes = Buffer.from(seed);
        for (let byte = 0; byte < 256; byte += 1) {
          bytes[at] = byte;
          check(bytes);
        }
      }
    }
  });

  test('soups of tokens', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (soup) => {
        check(Buffer.from(soup.join('')));
      }),
      settings,
    );
  });
});
