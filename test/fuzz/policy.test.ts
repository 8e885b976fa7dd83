import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../src/framework/errors.ts';
import { scanJson } from '../../src/framework/json/index.ts';
import {
  Acl,
  decodePolicyText,
  formatPolicy,
  type Identity,
  type Policy,
  parsePolicy,
  policyName,
} from '../../src/policies/index.ts';

const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const settings = {
  numRuns: Number(FUZZ_RUNS ?? 10_000),
  ...(FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) }),
};

/** The policy, or undefined for a 400. Anything else thrown is the bug looked for. */
function read(text: string): Policy | undefined {
  try {
    return parsePolicy(decodePolicyText(text));
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400 && error.errors.length === 1) return undefined;
    throw error;
  }
}

const SENT = scanJson('["xy", 1, {"k": null}]');
const ADA: Identity = {
  ...{ version: '1', id: 'e', name: 'ada', metadata: new Map(), aliases: new Map() },
  groups: [{ id: 'g-1', name: 'g', metadata: new Map() }],
};

/** The rules as data, without the lines that their values stood in. */
const withoutLines = (policy: Policy): unknown =>
  JSON.parse(
    JSON.stringify(policy, (key, value: unknown) => {
      if (key === 'line') return undefined;
      return value instanceof Map || value instanceof Set ? [...value] : value;
    }),
  );

const CORPUS = [
  'path "secret/data/+/a*" {\n  capabilities = ["create", "read", "deny",] # why\n comment = "so" }\n',
  'name = "n"\npath "a" { policy = "write" } /* b */ path "/b/*" { capabilities = [] } // c',
  'path "x" { allowed_parameters = { "a" = ["1", 2, true] "*" = [] } min_wrapping_ttl = "2h", max_wrapping_ttl = 9e3 }',
  'path "x" { capabilities = ["list"] denied_parameters { "Ttl" = [["x*"], { "k" = 1 }] } required_parameters = ["A"] pagination_limit = 3 }',
  'path "x" { capabilities = ["scan"] list_scan_response_keys_filter_path = "{{ .path | replace \\"a\\" \\"b\\" }}{{ .key }}" }',
  'path "x/{{identity.entity.name}}/+" { policy = "read" expiration = "2030-01-02T03:04:05Z" mfa_methods = ["m"] }',
  '{"path":{"{{identity.groups.names.g.id}}":{"policy":"read","allowed_parameters":{"a":[null,1.5,{"k":[]}]},"pagination_limit":"7"}}}',
  '{"path":{"a/*":{"capabilities":["read","list"]},"b":{"policy":"deny","comment":"\\u0041"}},"name":"n"}',
  '{"path":[{"a":[{"capabilities":["sudo"]},{"policy":"read"}]},{"__proto__":{"comment":null}}]}',
];
const PIECES = [
  'path',
  '"',
  '\\',
  '\\"',
  '{',
  '}',
  '[',
  ']',
  '=',
  ',',
  ':',
  '/*',
  '*/',
  '//',
  '#',
  '\n',
  ' ',
  '+',
  '*',
  '..',
  '/../',
  '../',
  '/..',
  '/.',
  '/',
  '\u0000',
  '\ud800',
  '\ufeff',
  'capabilities',
  'policy',
  'comment',
  '"read"',
  '"deny"',
  'true',
  'null',
  '-1',
  '{{identity.entity.name}}',
  '}}',
  'allowed_parameters',
  '"A"',
  '"a"',
  '"a*"',
  '1e999',
  '<<EOT',
  '${',
  '{{',
  '__proto__',
  'é',
];

/** A text of the corpus with pieces cut out, put in, or doubled at any place. */
const mutated = fc
  .tuple(
    fc.constantFrom(...CORPUS),
    fc.array(
      fc.record({
        at: fc.nat(400),
        cut: fc.nat(12),
        put: fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })),
      }),
      { maxLength: 6 },
    ),
  )
  .map(
    ([text, edits]) =>
      edits.reduce(
        (now, { at, cut, put }) => now.slice(0, at % now.length || 0) + put + now.slice((at % now.length || 0) + cut),
        text,
      ) || ' ',
  );
const jumbled = fc.array(fc.constantFrom(...PIECES, ...CORPUS), { maxLength: 40 }).map((pieces) => pieces.join(''));
const anything = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.json(), jumbled, mutated, mutated);

test('any text is a policy or a 400, and what is read holds its promises', () => {
  let taken = 0;
  fc.assert(
    fc.property(anything, (text) => {
      const policy = read(text);
      if (policy === undefined) return;
      taken += 1;
      for (const { path, capabilities, template, constraints = {}, expires = 0 } of policy.rules) {
        assert.ok(path !== '' && !path.startsWith('/') && !path.includes('//') && !path.includes('+*'), path);
        assert.equal(template !== undefined, path.includes('{{') || path.includes('}}'), path);
        for (const lists of [constraints.allowed ?? [], constraints.denied ?? []]) {
          for (const [name] of lists) assert.equal(name, name.toLowerCase());
        }
        const { minWrappingTtl = 0, maxWrappingTtl = minWrappingTtl, paginationLimit = 1 } = constraints;
        assert.ok(0 <= minWrappingTtl && minWrappingTtl <= maxWrappingTtl && paginationLimit > 0);
        assert.equal(expires % 1_000, 0);
        assert.ok(!path.split('/').some((segment) => segment === '.' || segment === '..'), path);
        for (const character of path) assert.ok(character >= ' ' && character !== '\u007f');
        assert.ok(!capabilities.has('deny') || capabilities.size === 1);
      }
      const laidOut = formatPolicy(decodePolicyText(text));
      assert.equal(formatPolicy(laidOut), laidOut);
      assert.deepEqual(withoutLines(parsePolicy(laidOut)), withoutLines(policy));
      const shared = Acl.compile([policy]);
      const acl = shared.of(ADA);
      for (const { path, constraints } of policy.rules) {
        acl.decide('update', path)?.constraints?.permits([{ name: 'a', value: SENT, kind: undefined }], true);
        constraints?.keyFilter?.pathOf('a/', 'b');
        assert.ok(acl.capabilities(path).length > 0);
        acl.reaches(`${path.split('/')[0]}/`);
      }
    }),
    settings,
  );
  assert.ok(taken > settings.numRuns / 100, `the fuzz must also meet policies that are taken, saw ${taken}`);
});

/** A policy as data, to be written in both languages. */
const rule = fc.record({
  path: fc.stringMatching(/^[a-z"\\é]{1,8}(\/[a-z+]{1,3})?\*?$/).filter((path) => !path.includes('+*')),
  capabilities: fc.array(
    fc.constantFrom('create', 'read', 'update', 'patch', 'delete', 'list', 'scan', 'sudo', 'deny'),
    { maxLength: 5 },
  ),
  comment: fc.option(fc.string({ maxLength: 20 }), { nil: undefined }),
  denied_parameters: fc.option(
    fc.dictionary(
      fc.constantFrom('a', 'ttl', '__proto__', 'é"'),
      fc.array(fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.boolean(), fc.constant(['x', 1])), {
        maxLength: 3,
      }),
    ),
    { nil: undefined },
  ),
});

test('HCL and JSON of the same rules read the same, whatever the blanks and comments between', () => {
  const blank = fc.constantFrom('', ' ', '\n', '# x "{\n', '/* } */', '// [\r\n', '\t');
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 5 }),
      fc.array(blank, { minLength: 8, maxLength: 8 }),
      (rules, blanks) => {
        const [a, b, c, d, e, f, g, h] = blanks;
        const hcl = rules.map(({ path, capabilities, comment, denied_parameters: denied }) => {
          const words = capabilities.map((word) => `${JSON.stringify(word)}${d},${e}`).join('');
          const why = comment === undefined ? '' : `comment${f}=${g}${JSON.stringify(comment)}`;
          const lists = Object.entries(denied ?? {}).map(
            ([name, values]) => `${d}${JSON.stringify(name)}${e}=${JSON.stringify(values)}`,
          );
          const parameters = denied === undefined ? '' : `${f}denied_parameters${g}=${h}{${lists.join(`${a},`)}${b}}`;
          return `${a}path${b}${JSON.stringify(path)}${c}{capabilities${d}=${e}[${words}${f}]${g}${why}${h}${parameters}}`;
        });
        const json = rules.map(({ path, ...body }) => ({ [path]: body }));
        const [one, other] = [parsePolicy(hcl.join('\n')), parsePolicy(JSON.stringify({ path: json }))];
        assert.deepEqual(withoutLines(one), withoutLines(other));
        assert.deepEqual(
          one.rules.map(({ path }) => path),
          rules.map(({ path }) => path),
        );
      },
    ),
    { ...settings, numRuns: settings.numRuns / 5 },
  );
});

test('a name is its own canonical form, or a 400', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\s]{0,2}[A-Za-z.,/_ -]{0,9}[\s]{0,2}$/)),
      (raw) => {
        try {
          const name = policyName(raw);
          assert.equal(policyName(name), name);
          assert.match(name, /^[a-z0-9_.,:@=+~-]+$/);
        } catch (error) {
          if (!(error instanceof ServiceError && error.status === 400)) throw error;
        }
      },
    ),
    settings,
  );
});

test('time grows with the length of a hostile text, not faster', () => {
  const shapes = [
    '"',
    '\\',
    '"\\',
    '{',
    '[',
    '/*',
    '/**',
    '#',
    '//\n',
    '\n',
    ' ',
    'a',
    '-',
    '1',
    'path "',
    'path "a" {',
    'path "a"{}',
    '{"a":',
    '["',
    '""',
    ',',
    'path "+/" {}',
    '{"path":[',
    'QUJD',
  ];
  const time = (text: string) => {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3; i += 1) {
      const start = performance.now();
      read(text);
      best = Math.min(best, performance.now() - start);
    }
    return best;
  };
  for (const before of [
    '',
    'path "a" { comment = "',
    'path "a" { capabilities = [',
    '{"path":{"a":{"comment":"',
    '/*',
    'path "',
  ]) {
    for (const shape of shapes) {
      const [short, long] = [5_000, 80_000].map((length) => time(before + shape.repeat(length / shape.length)));
      // 16 times the text: 16 times the time if linear, 256 if quadratic; the constant forgives noise on small times.
      assert.ok(
        long !== undefined && short !== undefined && long < 60 * short + 60,
        `${before}${shape}: ${short} ms, ${long} ms`,
      );
    }
  }
});
