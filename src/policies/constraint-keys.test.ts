import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_FILTER_CALLS, MAX_FILTER_LENGTH, MAX_PARAMETERS, MAX_VALUES } from './limits.ts';
import { parsePolicy, type Rule } from './parse.ts';

const rule = (body: string): Rule | undefined => parsePolicy(`path "a" {\ncapabilities = ["list"]\n${body} }`).rules[0];
const json = (key: string, value: unknown): Rule | undefined =>
  parsePolicy(JSON.stringify({ path: { a: { capabilities: ['list'], [key]: value } } })).rules[0];
const list = (count: number, item = '"x"') => `[${Array.from({ length: count }, () => item).join(',')}]`;
const texts = (lists: ReadonlyMap<string, readonly { kind: string; text?: string }[]> | undefined) =>
  Object.fromEntries(Array.from(lists ?? [], ([name, values]) => [name, values.map(({ text, kind }) => text ?? kind)]));

describe('keys that narrow a rule', () => {
  test('parameters, names in lower case, values of every form', () => {
    const { constraints } =
      rule(
        `
      allowed_parameters = { "Ttl" = ["1h", "2*"] "*" = [], n = [1, 1.50, -2e2, true, null_] }`.replace(
          'null_',
          'false',
        ),
      ) ?? {};
    assert.deepEqual(texts(constraints?.allowed), {
      ttl: ['1h', '2*'],
      '*': [],
      n: ['1', '1.50', '-200', 'true', 'false'],
    });
    const denied = rule('denied_parameters { "a" = [["x", 1], { "k" = "v" }] }')?.constraints?.denied;
    assert.deepEqual(texts(denied), { a: ['list', 'object'] });
    assert.deepEqual(rule('required_parameters = ["Name", "id"]')?.constraints?.required, ['name', 'id']);
  });

  test('JSON says the same', () => {
    assert.deepEqual(texts(json('allowed_parameters', { a: ['x', 7, null] })?.constraints?.allowed), {
      a: ['x', '7', 'null'],
    });
    assert.equal(json('pagination_limit', 5)?.constraints?.paginationLimit, 5);
    assert.equal(json('min_wrapping_ttl', '1m')?.constraints?.minWrappingTtl, 60_000);
  });

  for (const [spelled, millis] of [
    ['"1h"', 3_600_000],
    ['100', 100_000],
    ['"100"', 100_000],
    ['"1.5s"', 1_500],
    ['0', undefined],
    ['"0s"', undefined],
  ] as const) {
    test(`min_wrapping_ttl = ${spelled} is ${millis} ms`, () => {
      assert.equal(rule(`min_wrapping_ttl = ${spelled}`)?.constraints?.minWrappingTtl, millis);
      assert.equal(rule(`max_wrapping_ttl = ${spelled}`)?.constraints?.maxWrappingTtl, millis);
    });
  }

  for (const [spelled, size] of [
    ['5', 5],
    ['"5"', 5],
    ['0', undefined],
  ] as const) {
    test(`pagination_limit = ${spelled} is ${size}`, () => {
      assert.equal(rule(`pagination_limit = ${spelled}`)?.constraints?.paginationLimit, size);
    });
  }

  for (const [spelled, moment] of [
    ['"2030-01-02T03:04:05Z"', '2030-01-02T03:04:05.000Z'],
    ['"2030-01-02t03:04:05z"', '2030-01-02T03:04:05.000Z'],
    ['"2030-01-02T03:04:05.999999999Z"', '2030-01-02T03:04:05.000Z'],
    ['"2030-01-02T03:04:05+02:00"', '2030-01-02T01:04:05.000Z'],
    ['"2028-02-29T00:00:00Z"', '2028-02-29T00:00:00.000Z'],
    ['1893556800', '2030-01-02T04:00:00.000Z'],
    ['"1893556800"', '2030-01-02T04:00:00.000Z'],
    ['""', undefined],
  ] as const) {
    test(`expiration = ${spelled}`, () => {
      assert.equal(rule(`expiration = ${spelled}`)?.expires, moment === undefined ? undefined : Date.parse(moment));
    });
  }
});

describe('values of keys that are refused', () => {
  for (const [body, sentence] of [
    ['allowed_parameters = ["a"]', /must be an object of lists/],
    ['allowed_parameters = { "a" = "x" }', /must have a list/],
    ['allowed_parameters = { "a" "b" { } }', /must have a list/],
    ['denied_parameters = { "a" = [] "a" = [] }', /names a parameter twice/],
    ['denied_parameters = { "a" = [] "A" = [] }', /names a parameter twice/],
    ['allowed_parameters = { "*" = ["x"] }', /the name "\*" takes only \[\]/],
    ['allowed_parameters = { "a" = [0x1F] }', /number is not one of JSON/],
    ['allowed_parameters = { "a" = [1e999] }', /number is not one of JSON/],
    ['allowed_parameters = { "a" = [{ "k" = 1 "k" = 2 }] }', /each name once/],
    [`allowed_parameters = { "a" = ${list(MAX_VALUES + 1)} }`, /more than 1024 values/],
    [
      `denied_parameters = { ${Array.from({ length: MAX_PARAMETERS + 1 }, (_, i) => `"p${i}" = []`).join(' ')} }`,
      /more than 1024 names/,
    ],
    ['required_parameters = { "a" = [] }', /list of names/],
    ['required_parameters = "a"', /list of names/],
    ['required_parameters = [1]', /must be a string/],
    [`required_parameters = ${list(MAX_PARAMETERS + 1)}`, /more than 1024 names/],
    ['min_wrapping_ttl = "soon"', /line 3: min_wrapping_ttl must be a duration/],
    ['min_wrapping_ttl = -1', /must be a duration that is not negative/],
    ['min_wrapping_ttl = "-1s"', /must be a duration that is not negative/],
    ['max_wrapping_ttl = 1.5', /max_wrapping_ttl must be a duration/],
    ['max_wrapping_ttl = true', /max_wrapping_ttl must be a duration/],
    ['max_wrapping_ttl = []', /max_wrapping_ttl must be a duration/],
    ['min_wrapping_ttl = "2h" max_wrapping_ttl = "1h"', /must not be less/],
    ['pagination_limit = -1', /whole number/],
    ['pagination_limit = 1.5', /whole number/],
    ['pagination_limit = "many"', /whole number/],
    ['pagination_limit = [1]', /whole number/],
    ['pagination_limit = 1000000000', /whole number/],
    ['expiration = "tomorrow"', /RFC 3339/],
    ['expiration = "2030-01-02"', /RFC 3339/],
    ['expiration = "2030-01-02 03:04:05Z"', /RFC 3339/],
    ['expiration = "2030-01-02T03:04:05"', /RFC 3339/],
    ['expiration = "2030-02-30T00:00:00Z"', /RFC 3339/],
    ['expiration = "2030-13-01T00:00:00Z"', /RFC 3339/],
    ['expiration = "2030-01-01T25:00:00Z"', /RFC 3339/],
    ['expiration = []', /RFC 3339/],
    ['list_scan_response_keys_filter_path = ""', /depend on/],
    ['list_scan_response_keys_filter_path = "{{ .path }}"', /depend on/],
    ['list_scan_response_keys_filter_path = "{{ .key"', /must be a path/],
    ['list_scan_response_keys_filter_path = ".key }}"', /must be a path/],
    ['list_scan_response_keys_filter_path = "{{ .other }}{{ .key }}"', /must be a path/],
    ['list_scan_response_keys_filter_path = "{{ .key | uuid }}"', /must be a path/],
    ['list_scan_response_keys_filter_path = "{{ .key | replace \\"\\" \\"b\\" }}"', /must be a path/],
    ['list_scan_response_keys_filter_path = "{{ .key | truncate 0 }}"', /must be a path/],
    ['list_scan_response_keys_filter_path = "{{ .key | }}"', /must be a path/],
    [`list_scan_response_keys_filter_path = "{{ .key }}${'x'.repeat(MAX_FILTER_LENGTH)}"`, /longer than/],
    [
      `list_scan_response_keys_filter_path = "{{ .key ${'| lowercase '.repeat(MAX_FILTER_CALLS + 1)}}}"`,
      /calls more than/,
    ],
    ['list_scan_response_keys_filter_path = 7', /must be a string/],
  ] as const) {
    test(body.slice(0, 80), () => assert.throws(() => rule(body), { status: 400, message: sentence }));
  }

  test('a filter of names needs a capability that lists', () => {
    const text = (capability: string) =>
      `path "a" { capabilities = ["${capability}"] list_scan_response_keys_filter_path = "{{ .key }}" }`;
    for (const fine of ['list', 'scan', 'deny']) assert.equal(parsePolicy(text(fine)).rules.length, 1);
    assert.throws(() => parsePolicy(text('read')), { status: 400, message: /needs the capability/ });
  });
});

describe('paths that a filter of names makes', () => {
  for (const [template, path] of [
    ['{{ .path }}{{ .key }}', 'kv/metadata/team/Ops'],
    ['{{.path}}{{.key}}', 'kv/metadata/team/Ops'],
    ['x/{{ .key }}/y', 'x/Ops/y'],
    ['{{ .path | replace \\"kv/metadata/\\" \\"kv/data/\\" }}{{ .key }}', 'kv/data/team/Ops'],
    ['{{ .path | replace `kv/metadata/` `kv/data/` }}{{ .key }}', 'kv/data/team/Ops'],
    ['{{ .path | replace \\"a\\" \\"$&\\" }}{{ .key }}', 'kv/met$&d$&t$&/te$&m/Ops'],
    ['{{ .path }}{{ .key | lowercase }}', 'kv/metadata/team/ops'],
    ['{{ .key | uppercase | truncate 2 }}', 'OP'],
  ] as const) {
    test(template, () => {
      const made = rule(`list_scan_response_keys_filter_path = "${template.replace('truncate 2', 'truncate 2')}"`);
      assert.equal(made?.constraints?.keyFilter?.pathOf('kv/metadata/team/', 'Ops'), path);
    });
  }

  test('what would be longer than any path is none', () => {
    const made = rule(`list_scan_response_keys_filter_path = "{{ .key | replace \\"a\\" \\"${'b'.repeat(900)}\\" }}"`);
    assert.equal(made?.constraints?.keyFilter?.pathOf('kv/', 'a')?.length, 900);
    for (const key of ['aa', 'a'.repeat(1_000)])
      assert.equal(made?.constraints?.keyFilter?.pathOf('kv/', key), undefined);
  });
});
