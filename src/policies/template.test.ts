import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Acl } from './acl.ts';
import type { Identity } from './identity.ts';
import { MAX_TEMPLATED_RULES } from './limits.ts';
import { parsePolicy } from './parse.ts';

const named = (id: string, name: string, metadata: Readonly<Record<string, string>> = {}) => ({
  id,
  name,
  metadata: new Map(Object.entries(metadata)),
});

const ADA: Identity = {
  version: '1',
  ...named('e-1', 'ada', { team: 'blue', 'a.b': 'dotted', odd: 'x y' }),
  aliases: new Map([
    ['userpass_1', { ...named('a-1', 'ada@x', { role: 'dev' }), customMetadata: new Map([['site', 'north']]) }],
  ]),
  groups: [named('g-1', 'ops', { tier: 'gold' }), named('g-2', 'all')],
};

const acl = (text: string, identity: Identity | undefined): Acl => {
  const shared = Acl.compile([parsePolicy(text)]);
  return identity === undefined ? shared : shared.of(identity);
};
const rule = (path: string, words = 'read') =>
  `path "${path}" { capabilities = ["${words.split(',').join('","')}"] }\n`;

describe('templates', () => {
  for (const [path, reached] of [
    ['s/{{identity.entity.id}}/*', 's/e-1/x'],
    ['s/{{ identity.entity.name }}', 's/ada'],
    ['{{identity.entity.name}}/{{identity.entity.id}}', 'ada/e-1'],
    ['s/x-{{identity.entity.name}}-y*', 's/x-ada-yz'],
    ['/s/{{identity.entity.metadata.team}}/+/x', 's/blue/q/x'],
    ['s/{{identity.entity.metadata.a.b}}', 's/dotted'],
    ['s/{{identity.entity.metadata.odd}}', 's/x y'],
    ['s/{{identity.entity.aliases.userpass_1.id}}', 's/a-1'],
    ['s/{{identity.entity.aliases.userpass_1.name}}', 's/ada@x'],
    ['s/{{identity.entity.aliases.userpass_1.metadata.role}}', 's/dev'],
    ['s/{{identity.entity.aliases.userpass_1.custom_metadata.site}}', 's/north'],
    ['s/{{identity.groups.ids.g-1.name}}', 's/ops'],
    ['s/{{identity.groups.names.ops.id}}', 's/g-1'],
    ['s/{{identity.groups.ids.g-2.id}}', 's/g-2'],
    ['s/{{identity.groups.names.ops.metadata.tier}}', 's/gold'],
  ] as const) {
    test(`${path} reaches ${reached}, for this identity alone`, () => {
      const text = rule(path) + rule('plain', 'list');
      assert.deepEqual(acl(text, ADA).capabilities(reached), ['read']);
      assert.deepEqual(acl(text, undefined).capabilities(reached), ['deny']);
      const other: Identity = { version: '2', ...named('e-2', 'eve'), aliases: new Map(), groups: [] };
      assert.deepEqual(acl(text, other).capabilities(reached), ['deny']);
      for (const who of [ADA, other, undefined]) assert.deepEqual(acl(text, who).capabilities('plain'), ['list']);
    });
  }

  for (const path of [
    's/{{identity.entity.metadata.none}}',
    's/{{identity.entity.metadata.toString}}',
    's/{{identity.entity.aliases.other.name}}',
    's/{{identity.entity.aliases.userpass_1.metadata.none}}',
    's/{{identity.entity.aliases.userpass_1.custom_metadata.none}}',
    's/{{identity.groups.ids.ops.name}}',
    's/{{identity.groups.names.g-1.id}}',
    's/{{identity.groups.names.all.metadata.tier}}',
  ]) {
    test(`${path} counts for nothing where the value is missing`, () => {
      const list = acl(rule(path) + rule(`${path}/*`) + rule('plain'), ADA);
      for (const at of ['s/', 's', 's//x', 's/undefined', `${path}`]) assert.deepEqual(list.capabilities(at), ['deny']);
      assert.deepEqual(list.capabilities('plain'), ['read']);
    });
  }

  for (const team of [
    '*',
    '+',
    'a*',
    'a+b',
    'a/b',
    '/',
    'x,root',
    '',
    '.',
    '..',
    'a\u0000',
    'a\n',
    '\ud800',
    'x'.repeat(2_000),
  ]) {
    test(`A5 the value ${JSON.stringify(team.slice(0, 20))} voids the rule`, () => {
      const who = { ...ADA, metadata: new Map([['team', team]]) };
      const list = acl(rule('s/{{identity.entity.metadata.team}}/*') + rule('plain'), who);
      for (const at of ['s/a/x', `s/${team}/x`, 's//x', 's/x', 's/a/b/x', 's/../x']) {
        assert.deepEqual(list.capabilities(at), ['deny'], at);
      }
      assert.equal(list.reaches('s/'), false);
      assert.deepEqual(list.capabilities('plain'), ['read']);
    });
  }

  test('a path that a template gives merges with the same path written out; deny wins', () => {
    const own = 's/{{identity.entity.name}}';
    assert.deepEqual(acl(rule(own) + rule('s/ada', 'list'), ADA).capabilities('s/ada'), ['list', 'read']);
    assert.deepEqual(acl(rule(own) + rule(own, 'update') + rule('s/ada', 'list'), ADA).capabilities('s/ada'), [
      'list',
      'read',
      'update',
    ]);
    assert.deepEqual(acl(rule(own, 'deny') + rule('s/ada', 'list'), ADA).capabilities('s/ada'), ['deny']);
    assert.deepEqual(acl(rule(own) + rule('s/ada', 'deny'), ADA).capabilities('s/ada'), ['deny']);
    assert.deepEqual(acl(rule(own) + rule('s/ada', 'deny'), undefined).capabilities('s/ada'), ['deny']);
    const shared = Acl.compile([parsePolicy(rule(own, 'update') + rule('s/ada', 'list'))]);
    shared.of(ADA);
    assert.deepEqual(shared.capabilities('s/ada'), ['list'], 'what is shared is as it was');
  });

  test('among equals it goes as if it were written out: a deny first, then the letters that stand leftmost', () => {
    const [own, shared] = ['+/{{identity.entity.name}}/+', '+/+/ada'];
    for (const [one, other, expected] of [
      ['read', 'list', 'read'],
      ['read', 'deny', 'deny'],
      ['deny', 'list', 'deny'],
    ] as const) {
      assert.deepEqual(acl(rule(own, one) + rule(shared, other), ADA).capabilities('x/ada/ada'), [expected]);
      const swapped = rule('+/ada/+', one) + rule('+/+/{{identity.entity.name}}', other);
      assert.deepEqual(acl(swapped, ADA).capabilities('x/ada/ada'), [expected]);
    }
  });

  test('what narrows the one narrows the other', () => {
    const text = `path "s/{{identity.entity.name}}" { policy = "write" min_wrapping_ttl = 5 }
      path "s/ada" { policy = "write" max_wrapping_ttl = 9 }`;
    assert.deepEqual(acl(text, ADA).decide('read', 's/ada')?.constraints?.wrapping, { min: 5_000, max: 9_000 });
    assert.deepEqual(acl(text, undefined).decide('read', 's/ada')?.constraints?.wrapping, {
      min: undefined,
      max: 9_000,
    });
  });

  test('a policy has at most a thousand of them', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => rule(`s/${i}/{{identity.entity.id}}`)).join('');
    assert.equal(acl(many(MAX_TEMPLATED_RULES), ADA).allows('read', 's/999/e-1'), true);
    assert.throws(() => parsePolicy(many(MAX_TEMPLATED_RULES + 1)), { status: 400, message: /rules with templates/ });
  });
});
