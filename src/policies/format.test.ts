import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatPolicy } from './format.ts';
import { parsePolicy } from './parse.ts';

const formatted = (text: string, expected: string) => () => {
  assert.equal(formatPolicy(text), expected);
  assert.equal(formatPolicy(expected), expected);
};

describe('the layout of a policy', () => {
  test(
    'one member in a line, two blanks deeper in each block, an empty line between rules',
    formatted(
      'path "a"{capabilities=["read","list",]}\npath "b" { policy = "write", comment = "x" }',
      'path "a" {\n  capabilities = ["read", "list"]\n}\n\npath "b" {\n  policy  = "write"\n  comment = "x"\n}\n',
    ),
  );
  test(
    'parameters, their = beneath each other',
    formatted(
      'path "a" { policy = "write"\n\n\n allowed_parameters = { "bar" = ["zip", 7, true] "*" = [] } denied_parameters {} }',
      'path "a" {\n  policy = "write"\n\n  allowed_parameters = {\n    "bar" = ["zip", 7, true]\n    "*"   = []\n  }\n  denied_parameters {}\n}\n',
    ),
  );
  test(
    'a list over several lines stays one',
    formatted(
      'path "a" {\n capabilities = [ "read",\n"list" ]\n allowed_parameters = { x = [{"k"="v"}] y = [\n] } }',
      'path "a" {\n  capabilities = [\n    "read",\n    "list",\n  ]\n  allowed_parameters = {\n    x = [\n      {\n        "k" = "v"\n      },\n    ]\n    y = []\n  }\n}\n',
    ),
  );
  test(
    'comments stay with what they are about',
    formatted(
      '// head\n\n# of a\npath "a" { # why a\n /* two\r\n lines */ policy = "read" # of policy  \n  # last\n}\n# tail',
      '// head\n\n# of a\npath "a" {\n  # why a\n  /* two\n lines */\n  policy = "read" # of policy\n  # last\n}\n\n# tail\n'.replace(
        '}\n\n# tail',
        '}\n# tail',
      ),
    ),
  );
  test(
    'comments in lists, between the parts of a head, around commas',
    formatted(
      'path /* p */ "a" /* q */ {\ncapabilities /* r */ = /* s */ [ "read" /* t */ , # u\n# v\n"list" # w\n # x\n] }',
      '/* p */\n/* q */\npath "a" {\n  /* r */\n  /* s */\n  capabilities = [\n    "read", /* t */ # u\n    # v\n    "list", # w\n    # x\n  ]\n}\n',
    ),
  );
  test('comments alone', formatted('\n\n # a\n\n\n # b\n', '# a\n\n# b\n'));
  test(
    'what is spelled stays as it is spelled',
    formatted(
      'name="n"\npath "a\\u0041/é" { "policy" = "read" }',
      'name = "n"\n\npath "a\\u0041/é" {\n  "policy" = "read"\n}\n',
    ),
  );
  test(
    'JSON stays JSON',
    formatted(
      '{"path":{"a":{"capabilities":["read"],"allowed_parameters":{"x":[1.50,{"k":null}]}},"a":{}}}',
      '{\n  "path": {\n    "a": {\n      "capabilities": ["read"],\n      "allowed_parameters": {\n        "x": [\n          1.50,\n          {\n            "k": null\n          }\n        ]\n      }\n    },\n    "a": {}\n  }\n}\n',
    ),
  );
  test('what is no policy is refused', () => {
    for (const text of ['', 'path "a" {', 'path "a" { colour = 1 }']) {
      assert.throws(() => formatPolicy(text), { status: 400 });
    }
  });
});

/** Pieces of which policies with blanks and comments at every place are made. */
const gap = fc.constantFrom(
  '',
  '',
  ' ',
  '\n',
  '\n\n',
  '\n\n\n',
  '\t',
  ' # c\n',
  '\n# c\n',
  '\n\n# c\n\n',
  '// c\r\n',
  '/* c */',
  '\n/* c\n  d */ ',
  ' /* c */ /* d */ ',
  '/* c */ # d\n',
);
const word = fc.constantFrom('"x"', '"y*"', '7', 'true', '"a # b"', '"/* c"');
const list = fc
  .tuple(fc.array(fc.tuple(gap, word, gap), { maxLength: 3 }), gap, fc.boolean())
  .map(
    ([words, end, comma]) =>
      `[${words.map(([a, w, b]) => `${a}${w}${b}`).join(',')}${comma && words.length > 0 ? ',' : ''}${end}]`,
  );
const lists = (key: string) =>
  fc
    .tuple(
      fc.uniqueArray(fc.constantFrom('a', '"b"', '"*"', 'longer_name'), { maxLength: 3 }),
      fc.array(fc.tuple(gap, gap, gap, list), { minLength: 3, maxLength: 3 }),
      gap,
      fc.boolean(),
      fc.boolean(),
    )
    .map(([names, parts, end, commas, assigned]) => {
      const inner = names.map((name, i) => {
        const [a, b, c, values] = parts[i] ?? ['', '', '', '[]'];
        return `${a}${name}${b}=${c}${name === '"*"' ? '[]' : values}`;
      });
      return `${key}${assigned ? '=' : ' '}{${inner.join(commas ? ',' : ' ')}${end}}`;
    });
const member = (i: number): fc.Arbitrary<string> =>
  [
    fc.tuple(gap, gap, gap).map(([a, b, c]) => `capabilities${a}=${b}["read"${c},"list"]`),
    fc.tuple(gap, gap).map(([a, b]) => `policy${a}=${b}"write"`),
    lists('allowed_parameters'),
    lists('denied_parameters'),
    fc.constant('comment = "# no"'),
  ][i] ?? fc.constant('');
const block = fc
  .tuple(
    gap,
    gap,
    fc.uniqueArray(fc.nat(4), { maxLength: 4 }).chain((kinds) => fc.tuple(...kinds.map(member))),
    fc.array(gap, { minLength: 5, maxLength: 5 }),
    fc.boolean(),
  )
  .map(
    ([a, b, members, gaps, commas]) =>
      `path${a}"p"${b}{${members.map((one, i) => `${gaps[i]}${one}`).join(commas ? ',' : ' ')}${gaps[4]}}`,
  );
const policy = fc
  .tuple(fc.array(fc.tuple(gap, block), { maxLength: 3 }), gap, fc.constantFrom('', 'name = "n"'))
  .map(([blocks, end, name]) => `${name}${blocks.map(([a, b]) => a + b).join('\n')}${end}#\n`);

/** The comments of a text, each without the blanks that may change. */
const comments = (text: string): readonly string[] =>
  (text.match(/"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*/g) ?? [])
    .filter((found) => !found.startsWith('"'))
    .map((found) => found.replaceAll('\r', '').trimEnd());

const plain = (text: string): unknown =>
  JSON.parse(
    JSON.stringify(parsePolicy(text), (key, value: unknown) => {
      if (key === 'line') return undefined;
      return value instanceof Map || value instanceof Set ? [...value] : value;
    }),
  );

test('formatting keeps the rules and the comments, and is done once', () => {
  fc.assert(
    fc.property(policy, (text) => {
      const once = formatPolicy(text);
      assert.equal(formatPolicy(once), once);
      assert.deepEqual(plain(once), plain(text));
      assert.deepEqual([...comments(once)].sort(), [...comments(text)].sort());
      for (const line of once.split('\n')) assert.ok(!/[^\S]$/.test(line) || line.includes('*'), JSON.stringify(line));
    }),
    { numRuns: 2_000 },
  );
});
