import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { items, jsonString, maxValues, members, scanJson, stringValue } from './index.ts';

const listed = (text: string) => [...members(scanJson(text))].map(([name, value]) => [name, value.text]);

describe('members', () => {
  test('keep order, digits and odd names', () => {
    const text =
      '{"z":12345678901234567890, "10" :1,"2":1.10,"__proto__":{"constructor":null},"":"é\\u0000😀","t":-0,"toString":[1e3 , 2]}';
    assert.deepEqual(listed(text), [
      ['z', '12345678901234567890'],
      ['10', '1'],
      ['2', '1.10'],
      ['__proto__', '{"constructor":null}'],
      ['', '"é\\u0000😀"'],
      ['t', '-0'],
      ['toString', '[1e3 , 2]'],
    ]);
    assert.equal(Object.hasOwn(Object.prototype, 'constructor'), true);
    assert.equal(Reflect.get({}, 'z'), undefined);
  });

  test('of duplicates the last counts, at its own place', () => {
    assert.deepEqual(listed('{"a":1,"b":2,"\\u0061":3,"c":4}'), [
      ['b', '2'],
      ['a', '3'],
      ['c', '4'],
    ]);
  });

  test('are reached through any nesting and blanks', () => {
    const json = scanJson(
      ' { "a" : [ { } , [ ] , { "b" : [ { "c" : "]}\\"" } , 5 ] , "d" : true } , null ] , "e" : [ ] } ',
    );
    const [first, second, third, fourth] = items(members(json).get('a') ?? json);
    assert.deepEqual([first?.text, second?.text, fourth?.text], ['{ }', '[ ]', 'null']);
    assert.ok(third);
    assert.equal(members(third).get('d')?.text, 'true');
    const [inner, five] = items(members(third).get('b') ?? json);
    assert.ok(inner);
    assert.deepEqual([members(inner).get('c')?.text, five?.text], ['"]}\\""', '5']);
    assert.equal(members(json).get('e')?.text, '[ ]');
  });

  test('kinds', () => {
    assert.deepEqual(
      items(scanJson('[{},[],"",0,-1,true,false,null]')).map((item) => item.kind),
      ['object', 'array', 'string', 'number', 'number', 'boolean', 'boolean', 'null'],
    );
  });

  test('bytes and text are the same', () => {
    const value = members(scanJson('{"é":{"ü": 1}}')).get('é');
    assert.equal(value?.text, '{"ü": 1}');
    assert.equal(value.bytes.toString(), '{"ü": 1}');
  });

  test('asking the wrong kind is our own mistake, not the caller’s', () => {
    for (const run of [() => members(scanJson('[]')), () => items(scanJson('{}')), () => stringValue(scanJson('1'))]) {
      assert.throws(run, TypeError);
    }
  });
});

describe('strings', () => {
  test('decode', () => {
    for (const text of ['', 'a', 'é😀', '"\\/\b\f\n\r\t\u0000\u2028', '__proto__', '\ufeff', '\uffff']) {
      assert.equal(stringValue(jsonString(text)), text);
      assert.equal(stringValue(scanJson(JSON.stringify(text))), text);
    }
    assert.equal(stringValue(scanJson('"\\uD83D\\uDE00\\/\\u00e9"')), '😀/é');
  });

  test('half of a surrogate pair stays in the text and has no value', () => {
    for (const json of [scanJson('"a\\ud800"'), scanJson('"\\uDE00\\ud83d"'), jsonString('\ud800')]) {
      assert.match(json.text, /\\u/);
      assert.throws(
        () => stringValue(json, 'name'),
        (error: unknown) => error instanceof ServiceError && error.status === 400 && /^name: /.test(error.message),
      );
    }
  });
});

describe('cost', () => {
  test('walking a long value under the deepest nesting reads it once, not once per level', () => {
    const depth = 500;
    const long = JSON.stringify('x'.repeat(4 << 20));
    let json = scanJson(`${'{"a":'.repeat(depth)}[${long}]${'}'.repeat(depth)}`);
    const start = performance.now();
    for (let i = 0; i < depth; i += 1) json = members(json).get('a') ?? json;
    assert.equal(json.kind, 'array');
    // Reading 4 MiB 500 times would take seconds.
    assert.ok(performance.now() - start < 1_000);
  });

  test('the greatest number of siblings is walked in linear time', () => {
    const json = scanJson(`{${Array.from({ length: maxValues }, (_, i) => `"k${i}":[]`).join(',')}}`);
    const start = performance.now();
    assert.equal(members(json).size, maxValues);
    assert.ok(performance.now() - start < 5_000);
  });
});

test('a name with escapes does not depend on the texts before it', () => {
  // JSON.parse of V8 13 and 14 fails this (nodejs/node issue 63785): no object may ever be given to it.
  assert.deepEqual(listed('{"w":1,"\\\\u006":1}'), [
    ['w', '1'],
    ['\\u006', '1'],
  ]);
  assert.deepEqual(listed('{"w":1,"\\u0061dmin":1}'), [
    ['w', '1'],
    ['admin', '1'],
  ]);
});
