import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../framework/errors.ts';
import { MAX_NESTING, MAX_PATH_BYTES, MAX_POLICY_BYTES, MAX_RULES } from './limits.ts';
import { decodePolicyText, parsePolicy } from './parse.ts';

/** The rules of a text as [path, capabilities joined]. */
const rules = (text: string) =>
  parsePolicy(text).rules.map(({ path, capabilities }) => [path, [...capabilities].sort().join()]);

const refuses = (text: string, sentence: RegExp) =>
  assert.throws(
    () => parsePolicy(text),
    (error: unknown) => error instanceof ServiceError && error.status === 400 && sentence.test(error.message),
  );

const rule = (body: string) => `path "a" { ${body} }`;
const READ = 'capabilities = ["read"]';

describe('policies that are taken', () => {
  for (const [what, text, expected] of [
    ['one rule', 'path "a" { capabilities = ["read"] }', [['a', 'read']]],
    ['a comma after the last item', 'path "a" { capabilities = ["read",] }', [['a', 'read']]],
    [
      'comments of three kinds',
      '# 1\n// 2\n/* 3\n path "x" {} */path "a" {\n capabilities = [\n"list", # 4\n"read"]}',
      [['a', 'list,read']],
    ],
    [
      'rules on one line',
      'path "a" { policy = "deny" } path "b" { policy = "read" }',
      [
        ['a', 'deny'],
        ['b', 'list,read'],
      ],
    ],
    ['commas between keys', 'path "a" { policy = "read", comment = "why" }', [['a', 'list,read']]],
    ['line ends of Windows', 'path "a" {\r\n  policy = "read"\r\n}\r\n', [['a', 'list,read']]],
    ['the word write', rule('policy = "write"'), [['a', 'create,delete,list,read,update']]],
    ['the word sudo', rule('policy = "sudo"'), [['a', 'create,delete,list,read,sudo,update']]],
    ['a word beside capabilities', rule('policy = "read" capabilities = ["patch"]'), [['a', 'list,patch,read']]],
    ['deny beside others', rule('capabilities = ["deny", "read", "sudo"]'), [['a', 'deny']]],
    ['the word deny beside others', rule('capabilities = ["read"] policy = "deny"'), [['a', 'deny']]],
    [
      'every capability',
      rule('capabilities = ["create","read","update","patch","delete","list","scan","sudo"]'),
      [['a', 'create,delete,list,patch,read,scan,sudo,update']],
    ],
    [
      'no capability',
      rule('capabilities = []') + rule(''),
      [
        ['a', ''],
        ['a', ''],
      ],
    ],
    ['a leading slash', 'path "/a/b" { policy = "read" }', [['a/b', 'list,read']]],
    [
      'a path twice',
      `${rule(READ)} ${rule('policy = "deny"')}`,
      [
        ['a', 'read'],
        ['a', 'deny'],
      ],
    ],
    ['odd letters in a path', 'path "é/\\"x\\\\/*/c d" { policy = "deny" }', [['é/"x\\/*/c d', 'deny']]],
    ['a name', `name = "n" ${rule(READ)}`, [['a', 'read']]],
    ['comments only', '# nothing granted', []],
    [
      'JSON',
      '{"path":{"a/*":{"capabilities":["read","list"]},"b":{"policy":"deny"}}}',
      [
        ['a/*', 'list,read'],
        ['b', 'deny'],
      ],
    ],
    [
      'JSON, path as a list',
      ' {"path":[{"a":{"capabilities":["read"]}},{"b":[{"policy":"deny"}]}],"name":"n"}',
      [
        ['a', 'read'],
        ['b', 'deny'],
      ],
    ],
    [
      'JSON, a path twice',
      '{"path":{"a":{"capabilities":["read"]},"a":{"capabilities":["deny"]}}}',
      [
        ['a', 'read'],
        ['a', 'deny'],
      ],
    ],
    ['JSON, names of JavaScript', '{"path":{"__proto__":{"capabilities":["read"]}}}', [['__proto__', 'read']]],
    ['JSON without rules', '{}', []],
  ] as const) {
    test(what, () => assert.deepEqual(rules(text), expected));
  }

  test('a comment is kept', () => {
    assert.equal(parsePolicy(rule(`${READ} comment = "why \\"so\\""`)).rules[0]?.comment, 'why "so"');
    assert.equal(parsePolicy(rule(READ)).rules[0]?.comment, undefined);
  });
});

describe('texts that are refused with 400', () => {
  for (const [what, text, sentence] of [
    ['nothing', '', /empty/],
    ['blanks', ' \n\t', /empty/],
    ['a word', 'garbage', /line 1: expected = or \{/],
    ['an open block', 'path "a" {', /line 1: expected a key/],
    ['an open string', 'path "a', /not closed/],
    ['a string over two lines', 'path "a\nb" {}', /not closed/],
    ['an open comment', '/* path "a" {}', /not closed by \*\//],
    ['an open list', 'path "a" { capabilities = ["read"', /expected , or \]/],
    ['items without a comma', rule('capabilities = ["read" "list"]'), /expected , or \]/],
    ['a lone comma in a list', rule('capabilities = [,]'), /expected a value/],
    ['a closing brace too many', `${rule(READ)} }`, /expected a key/],
    ['an unknown block', 'way "a" { capabilities = ["read"] }', /only path/],
    ['an unknown top key', 'colour = "red"', /only path/],
    ['a path without braces', 'path = "a"', /only path/],
    ['a path without quotes', 'path a { policy = "read" }', /expected = or \{/],
    ['a path as assignment', 'path "a" = { policy = "read" }', /expected \{/],
    ['path blocks within path', 'path { "a" { policy = "read" } }', /only path/],
    ['a name that is a number', 'name = 1', /name must be a string/],
    ['a name twice', 'name = "a"\nname = "a"', /line 2: name is given twice/],
    ['an unknown key', rule('colour = "red"'), /rule key is not known/],
    ['a key with a label', rule('capabilities "x" {}'), /rule key is not known/],
    ['a key in another case', rule('Capabilities = ["read"]'), /rule key is not known/],
    ['a key of JavaScript', rule('constructor = "x"'), /rule key is not known/],
    ['capabilities twice', rule(`${READ}\n${READ}`), /line 2: capabilities is given twice/],
    ['policy twice', rule('policy = "read" policy = "deny"'), /policy is given twice/],
    ['an unknown capability', rule('capabilities = ["fly"]'), /capability is not known/],
    ['an unknown capability after deny', rule('capabilities = ["deny", "fly"]'), /capability is not known/],
    ['root as a capability', rule('capabilities = ["root"]'), /capability is not known/],
    ['a capability in another case', rule('capabilities = ["READ"]'), /capability is not known/],
    ['capabilities as a string', rule('capabilities = "read"'), /must be a list/],
    ['a number as capability', rule('capabilities = [1]'), /must be a string/],
    ['an unknown policy word', rule('policy = "fly"'), /"read", "write"/],
    ['a comment that is a list', rule('comment = []'), /comment must be a string/],
    ['a heredoc', rule('comment = <<EOT\nx\nEOT'), /unexpected character/],
    ['an escape of C', rule('comment = "\\x41"'), /control character or an escape/],
    ['a raw control character', 'path "a\u0001" {}', /control character or an escape/],
    ['a byte order mark', `\ufeff${rule(READ)}`, /unexpected character/],
    ['an empty path', 'path "" {}', /path of a rule is empty/],
    ['a slash as path', 'path "/" {}', /path of a rule is empty/],
    ['two leading slashes', 'path "//a" {}', /empty segment/],
    ['an inner double slash', 'path "a//b" {}', /empty segment/],
    ['a double slash at the end', 'path "a//" {}', /empty segment/],
    ['..', 'path "a/../b" {}', /segment \. or \.\./],
    ['.. at the end', 'path "a/.." {}', /segment \. or \.\./],
    ['.', 'path "./a" {}', /segment \. or \.\./],
    ['an escaped NUL', 'path "a\\u0000" {}', /control character/],
    ['an escaped DEL', 'path "a\\u007f*" {}', /control character/],
    ['half a surrogate pair', 'path "a\\ud800" {}', /valid Unicode/],
    ['+*', 'path "a/+*" {}', /\+\*/],
    ['half a template', 'path "a/{{identity.entity.id" {}', /holds \{\{ without/],
    ['the other half', 'path "a/identity.entity.id}}" {}', /holds \{\{ without/],
    ['a template in another', 'path "a/{{identity.{{entity}}.id}}" {}', /holds \{\{ without/],
    ['a template of nothing', 'path "a/{{}}" {}', /names no value/],
    ['a template of what no identity has', 'path "a/{{identity.entity.colour}}" {}', /names no value/],
    ['a template of a list', 'path "a/{{identity.entity.groups.names}}" {}', /names no value/],
    ['a template of all metadata', 'path "a/{{identity.entity.metadata}}" {}', /names no value/],
    ['a template of metadata without a key', 'path "a/{{identity.entity.metadata.}}" {}', /names no value/],
    ['custom metadata of an entity', 'path "a/{{identity.entity.custom_metadata.x}}" {}', /names no value/],
    ['a template of an alias itself', 'path "a/{{identity.entity.aliases.acc}}" {}', /names no value/],
    ['a template of a group by nothing', 'path "a/{{identity.groups.names..id}}" {}', /names no value/],
    ['a template of time', 'path "a/{{time.now}}" {}', /names no value/],
    ['what stands around a template', 'path "a//{{identity.entity.id}}" {}', /empty segment/],
    ['JSON cut short', '{"path":{', /not valid JSON/],
    ['JSON with a comment', '{} # no', /not valid JSON/],
    ['JSON, path as text', '{"path":"a"}', /path must be an object/],
    ['JSON, a rule as text', '{"path":{"a":"read"}}', /rule must be an object/],
    ['JSON, path twice', '{"path":{},"path":{}}', /path is given twice/],
    [
      'JSON, a key twice',
      '{"path":{"a":{"capabilities":["read"],\n"capabilities":["read"]}}}',
      /line 2: capabilities is given twice/,
    ],
    [
      'JSON, a key twice by an escape',
      '{"path":{"a":{"policy":"read","polic\\u0079":"deny"}}}',
      /policy is given twice/,
    ],
    ['JSON, another top key', '{"rules":{}}', /only path/],
    ['JSON, null for capabilities', '{"path":{"a":{"capabilities":null}}}', /must be a list/],
  ] as const) {
    test(what, () => refuses(text, sentence));
  }

  test('mfa_methods is taken, told of, and grants nothing', () => {
    const [parsed] = parsePolicy(rule(`${READ} mfa_methods = ["m"]`)).rules;
    assert.deepEqual(parsed?.ignored, ['mfa_methods']);
    assert.deepEqual([...(parsed?.capabilities ?? [])], ['read']);
    assert.equal(parsePolicy(rule(READ)).rules[0]?.ignored, undefined);
  });

  test('no sentence repeats the text', () => {
    for (const text of [
      'path "s3cret//" {}',
      's3cret = 1',
      rule('s3cret = "s3cret"'),
      rule('capabilities = ["s3cret"]'),
      '{"s3cret":1}',
      '{s3cret',
    ]) {
      assert.throws(
        () => parsePolicy(text),
        (error: Error) => error instanceof ServiceError && !error.message.includes('s3cret'),
      );
    }
  });
});

describe('limits', () => {
  test('bytes of the text', () => {
    const fill = (bytes: number) => `${rule(READ)}#`.padEnd(bytes, '.');
    assert.equal(parsePolicy(fill(MAX_POLICY_BYTES)).rules.length, 1);
    refuses(fill(MAX_POLICY_BYTES + 1), /longer than/);
    refuses(`${fill(MAX_POLICY_BYTES - 2)}éé`, /longer than/);
  });

  test('rules of a policy', () => {
    const shortest = 'path"a"{}';
    assert.equal(parsePolicy(shortest.repeat(MAX_RULES)).rules.length, MAX_RULES);
    refuses(shortest.repeat(MAX_RULES + 1), /more than 100000 rules/);
  });

  test('bytes of a path', () => {
    const long = 'é'.repeat(MAX_PATH_BYTES / 2);
    assert.equal(rules(`path "/${long}*" { policy = "deny" }`)[0]?.[0], `${long}*`);
    refuses(`path "${long}a" {}`, /longer than 1024 bytes/);
  });

  test('nesting', () => {
    const nested = (depth: number) => rule(`comment = ${'['.repeat(depth)}${']'.repeat(depth)}`);
    refuses(nested(MAX_NESTING - 1), /must be a string/);
    refuses(nested(MAX_NESTING), /nested more than/);
    refuses(nested(500_000), /nested more than/);
    refuses(`${'{"path":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /nested more than/);
  });
});

describe('base64', () => {
  const text = 'path "é" { capabilities = ["read"] }';
  const packed = Buffer.from(text).toString('base64');
  for (const [what, given, expected] of [
    ['plain text', text, text],
    ['base64', packed, text],
    ['base64 with line ends', `${packed.slice(0, 20)}\r\n${packed.slice(20)}\n`, text],
    ['a word that is not base64', 'garbage', 'garbage'],
    ['base64 without padding', 'YQ', 'YQ'],
    ['base64 with stray bits', 'YR==', 'YR=='],
    ['the url alphabet', '_-_-', '_-_-'],
    ['nothing', '', ''],
  ] as const) {
    test(what, () => assert.equal(decodePolicyText(given), expected));
  }

  test('what holds no UTF-8, or is too long, is 400', () => {
    for (const bad of ['nonsense', 'A'.repeat(2 * MAX_POLICY_BYTES + 1)]) {
      assert.throws(
        () => decodePolicyText(bad),
        (error: unknown) => error instanceof ServiceError && error.status === 400,
      );
    }
  });
});
