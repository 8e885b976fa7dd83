import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scanJson } from '../framework/json/index.ts';
import {
  bool,
  duration,
  enumOf,
  int,
  intList,
  jsonValue,
  type Kind,
  string,
  stringList,
} from '../framework/kinds/index.ts';
import { Constraints } from './constraints.ts';
import { parsePolicy } from './parse.ts';

/** What rules of one path say together, from the keys of each. */
const rules = (...keys: readonly string[]): Constraints =>
  new Constraints(
    keys.flatMap(
      (one) => parsePolicy(`path "a" { capabilities = ["update", "list"] ${one} }`).rules[0]?.constraints ?? [],
    ),
  );

const KINDS: ReadonlyMap<string, Kind<unknown>> = new Map<string, Kind<unknown>>([
  ['text', string('')],
  ['count', int(0)],
  ['flag', bool(false)],
  ['ttl', duration(0)],
  ['word', enumOf(['x', 'y'], 'x')],
  ['list', stringList([])],
  ['numbers', intList([])],
  ['any', jsonValue()],
]);

/** Whether a body is permitted; names that KINDS has not are not declared by the endpoint. */
const permits = (
  constraints: Constraints,
  body: Readonly<Record<string, unknown>> | string,
  requires = true,
): boolean => {
  const json = scanJson(typeof body === 'string' ? body : JSON.stringify(body));
  const given: { name: string; value: typeof json; kind: Kind<unknown> | undefined }[] = [];
  json.eachMember((name, value) => {
    const decoded = String(JSON.parse(name));
    given.push({ name: decoded, value, kind: KINDS.get(decoded) });
  });
  return constraints.permits(given, requires);
};

function table(keys: string | readonly string[], yes: readonly object[], no: readonly object[]): void {
  const all = typeof keys === 'string' ? [keys] : keys;
  test(all.join(' + '), () => {
    const constraints = rules(...all);
    for (const body of yes) assert.equal(permits(constraints, { ...body }), true, JSON.stringify(body));
    for (const body of no) assert.equal(permits(constraints, { ...body }), false, JSON.stringify(body));
  });
}

describe('allowed, denied and required parameters', () => {
  table(
    'allowed_parameters = { "a" = ["x", "y*"], "b" = [] }',
    [{}, { a: 'x' }, { a: 'yes', b: [1] }, { A: 'x', B: null }],
    [{ a: 'z' }, { a: 'X' }, { a: 'x', c: 1 }, { a: null }, { c: null }, { a: { x: 1 } }],
  );
  table('allowed_parameters = { "a" = ["x"] "*" = [] }', [{ a: 'x', c: 1 }, { c: 1 }], [{ a: 'z' }, { A: 'z' }]);
  table('allowed_parameters = {}', [{ a: 1 }], []);
  table(
    'denied_parameters = { "a" = ["x"], "b" = [] }',
    [{}, { a: 'y' }, { c: 1 }, { a: null }],
    [{ a: 'x' }, { A: 'x' }, { b: 1 }, { B: null }, { a: ['y', 'x'] }, { a: 'y, x' }, { a: 'y', A: 'x' }],
  );
  table('denied_parameters = { "*" = [] }', [{}], [{ a: 1 }, { '*': 1 }]);
  table('allowed_parameters = { "*" = [] } denied_parameters = { "a" = [] }', [{ b: 1 }], [{ a: 1 }]);
  table('required_parameters = ["a", "B"]', [{ a: 1, b: false }], [{}, { a: 1 }, { a: 1, B: 1 }, { a: null, b: 1 }]);
  table('allowed_parameters = { "__proto__" = ["x"] }', [{}], [{ constructor: 'x' }, { a: 'x' }]);

  test('null, which only JSON can list, is null alone', () => {
    const text =
      '{"path":{"a":{"policy":"write","allowed_parameters":{"a":[null,"x"]},"denied_parameters":{"b":[null]}}}}';
    const constraints = new Constraints(parsePolicy(text).rules.flatMap(({ constraints = {} }) => constraints));
    assert.equal(permits(constraints, { a: null }), true);
    for (const a of ['null', 0, '', false, []]) assert.equal(permits(constraints, { a }), false);
    assert.equal(permits(constraints, { a: 'x', b: null }), false);
  });

  test('nothing is required of a delete, the rest holds', () => {
    const constraints = rules('required_parameters = ["a"] denied_parameters = { "b" = [] }');
    assert.equal(permits(constraints, {}, false), true);
    assert.equal(permits(constraints, { b: 1 }, false), false);
    assert.equal(permits(constraints, {}, true), false);
  });
});

describe('values', () => {
  table(
    'allowed_parameters = { "a" = ["x*", "*y", "*m*", "*"] }',
    [{ a: 'x' }, { a: 'xq' }, { a: 'qy' }, { a: 'qmq' }, { a: '*' }],
    [{ a: 'q' }, { a: '' }],
  );
  table(
    'allowed_parameters = { "a" = [["x", 1], { "k" = "v", "l" = [true] }] }',
    [{ a: ['x', 1] }, { a: { l: [true], k: 'v' } }],
    [
      { a: ['x'] },
      { a: [1, 'x'] },
      { a: ['x', 1, 2] },
      { a: { k: 'v' } },
      { a: { k: 'v', l: [true], m: 1 } },
      { a: 'x' },
    ],
  );
  table(
    'denied_parameters = { "a" = [["x", 1], { "k" = "v" }] }',
    [{ a: ['x'] }, { a: { k: 'w' } }],
    [{ a: ['x', 1] }, { a: { k: 'v' } }],
  );
  table(
    'allowed_parameters = { "n" = [7, 1.5, true] }',
    [{ n: 7 }, { n: '7' }, { n: 7.0 }, { n: 1.5 }, { n: true }, { n: 'true' }],
    [{ n: 8 }, { n: false }, { n: 1 }],
  );
});

describe('known-attacks A9: a value in another spelling is the value that the endpoint reads', () => {
  table(
    'denied_parameters = { "flag" = [false] }',
    [{ flag: true }, { flag: '1' }, { flag: 't' }, { flag: 1 }],
    [{ flag: false }, { flag: 0 }, { flag: '0' }, { flag: 'F' }, { flag: 'False' }, { flag: '' }],
  );
  table('denied_parameters = { "flag" = ["false"] }', [{ flag: true }], [{ flag: false }, { flag: 'f' }]);
  table(
    'denied_parameters = { "count" = [7] }',
    [{ count: 8 }],
    [{ count: 7 }, { count: '7' }, { count: '+7' }, { count: 7.0 }],
  );
  table(
    'denied_parameters = { "ttl" = ["1h"] }',
    [{ ttl: '2h' }],
    [{ ttl: '1h' }, { ttl: '60m' }, { ttl: 3600 }, { ttl: '+3600s' }],
  );
  table(
    'allowed_parameters = { "ttl" = ["1h"] }',
    [{ ttl: '1h' }, { ttl: 3600 }, { ttl: '1h0m' }],
    [{ ttl: '61m' }, { ttl: '-1h' }],
  );
  table('denied_parameters = { "text" = ["1"] }', [{ text: 'true' }], [{ text: '1' }, { text: 1 }, { text: true }]);
  table('allowed_parameters = { "word" = ["x"] }', [{ word: 'x' }], [{ word: 'y' }, { word: 'z' }, { word: ['x'] }]);
  table(
    'denied_parameters = { "list" = ["root"] }',
    [{ list: 'a,b' }, { list: [] }, { list: ['rooted'] }],
    [
      { list: 'root' },
      { list: 'a,root' },
      { list: 'a, root' },
      { list: ['a', 'root'] },
      { list: ['a', ' root '] },
      { list: ['a,root'] },
    ],
  );
  table(
    'allowed_parameters = { "list" = ["a", "b*"] }',
    [{ list: 'a' }, { list: 'a,bc' }, { list: ['a', ' bx'] }],
    [{ list: 'a,root' }, { list: ['a', 'root'] }, { list: ['b,root'] }, { list: [] }, { list: '' }, { list: { a: 1 } }],
  );
  table(
    'allowed_parameters = { "numbers" = [1, 2] }',
    [{ numbers: [1, 2] }, { numbers: '2,1' }, { numbers: 2 }],
    [{ numbers: [1, 3] }, { numbers: '1,3' }],
  );
  for (const name of ['any', 'undeclared']) {
    table(
      `allowed_parameters = { "${name}" = ["a,b", "x*"] }`,
      [{ [name]: 'a,b' }, { [name]: 'xy' }, { [name]: 'xy, xz' }, { [name]: ['xy', 'a,b'] }],
      [{ [name]: 'x,root' }, { [name]: ['xy', 'root'] }, { [name]: 'a' }, { [name]: ['a', 'b'] }],
    );
    table(
      `denied_parameters = { "${name}" = ["root"] }`,
      [{ [name]: 'rooted' }, { [name]: 'a,b' }],
      [{ [name]: 'a,root' }, { [name]: ['a', 'root'] }],
    );
  }
  // A text of a string parameter is one value, whatever commas are in it.
  table('denied_parameters = { "text" = ["root"] }', [{ text: 'a,root' }], [{ text: 'root' }]);
  table('allowed_parameters = { "text" = ["hello*"] }', [{ text: 'hello, world' }], [{ text: 'other' }]);
});

describe('the same path in several rules', () => {
  table(
    ['allowed_parameters = { "a" = ["x"] }', 'allowed_parameters = { "a" = ["y"] "b" = [] }'],
    [{ a: 'x' }, { a: 'y', b: 1 }],
    [{ a: 'z' }, { c: 1 }],
  );
  table(['allowed_parameters = { "a" = ["x"] }', 'allowed_parameters = { "a" = [] }'], [{ a: 'z' }], [{ b: 1 }]);
  table(['allowed_parameters = { "a" = [] }', 'allowed_parameters = { "a" = ["x"] }'], [{ a: 'z' }], [{ b: 1 }]);
  table(
    ['allowed_parameters = { "a" = ["x"] }', 'denied_parameters = { "b" = [] }'],
    [{ a: 'x' }],
    [{ b: 1 }, { c: 1 }],
  );
  table(
    ['denied_parameters = { "a" = ["x"] }', 'denied_parameters = { "a" = ["y"] }'],
    [{ a: 'z' }],
    [{ a: 'x' }, { a: 'y' }],
  );
  table(['required_parameters = ["a"]', 'required_parameters = ["b"]'], [{ a: 1, b: 1 }], [{ a: 1 }, { b: 1 }]);

  test('of two bounds and two page sizes the smaller holds; 0 is none', () => {
    const both = rules(
      'min_wrapping_ttl = 100 max_wrapping_ttl = 300 pagination_limit = 7',
      'min_wrapping_ttl = 50 max_wrapping_ttl = 200 pagination_limit = 9',
      'min_wrapping_ttl = 0 pagination_limit = 0',
    );
    assert.deepEqual(both.wrapping, { min: 50_000, max: 200_000 });
    assert.equal(both.paginationLimit, 7);
    assert.equal(rules('pagination_limit = 0 min_wrapping_ttl = 0').wrapping, undefined);
    const filters = rules(
      'list_scan_response_keys_filter_path = "a/{{ .key }}"',
      'list_scan_response_keys_filter_path = "b/{{ .key }}"',
      'list_scan_response_keys_filter_path = "a/{{ .key }}"',
    ).keyFilters;
    assert.deepEqual(
      filters.map((filter) => filter.pathOf('l/', 'k')),
      ['a/k', 'b/k'],
    );
  });
});

describe('what would cost too much to compare is denied, and not allowed', () => {
  const globs = (count: number, rule: string) =>
    `${rule} = { "a" = [${Array.from({ length: count }, (_, i) => `"*${i}x*"`)}] }`;
  const long = 'q'.repeat(1024 * 1024);

  test('patterns of one parameter over several rules', () => {
    assert.equal(permits(rules(globs(256, 'allowed_parameters')), { a: '1x' }), true);
    assert.equal(permits(rules(globs(256, 'denied_parameters')), { a: 'q' }), true);
    const [many, more] = [globs(256, 'allowed_parameters'), 'allowed_parameters = { "a" = ["z*"] }'];
    assert.equal(permits(rules(many, more), { a: '1x' }), false);
    assert.equal(
      permits(rules(globs(256, 'denied_parameters'), 'denied_parameters = { "a" = ["z*"] }'), { a: 'q' }),
      false,
    );
  });

  test('long values, many elements and many pieces, in bounded time', () => {
    const start = performance.now();
    assert.equal(permits(rules(globs(10, 'denied_parameters')), { a: long }), true);
    assert.equal(permits(rules(globs(256, 'denied_parameters')), { a: long }), false);
    assert.equal(permits(rules(globs(256, 'allowed_parameters')), { a: `${long}1x` }), false);
    assert.equal(
      permits(rules('denied_parameters = { "a" = ["x"] }'), { a: Array.from({ length: 100_000 }, () => 'y') }),
      true,
    );
    assert.equal(
      permits(rules(globs(256, 'denied_parameters')), { a: Array.from({ length: 100_000 }, () => 'y') }),
      false,
    );
    assert.equal(permits(rules('denied_parameters = { "a" = ["x"] }'), { a: ','.repeat(2_000) }), false);
    assert.ok(performance.now() - start < 2_000);
  });
});
