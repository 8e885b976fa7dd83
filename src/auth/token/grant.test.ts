import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scanJson } from '../../framework/json/index.ts';
import { grantOf, type Terms, type Wish } from './grant.ts';
import { policyList } from './policies.ts';

const wish = (changes: Partial<Wish> = {}): Wish => ({
  type: '',
  policies: [],
  noDefaultPolicy: false,
  displayName: '',
  metadata: new Map(),
  ttl: 0,
  explicitMaxTtl: 0,
  period: 0,
  renewable: true,
  numUses: 0,
  orphan: false,
  id: undefined,
  ...changes,
});

const LIMITS = { boundCidrs: [], role: undefined, defaultTtl: 100, maxTtl: 1_000, now: 0 };
const ROOT: Terms = { ...LIMITS, policies: ['root'], mortal: false, sudo: true };
const PLAIN: Terms = { ...LIMITS, policies: ['a', 'b', 'default'], mortal: true, sudo: false };
const BARE: Terms = { ...PLAIN, policies: ['a', 'b'] };
const SUDO: Terms = { ...BARE, sudo: true };

const grant = (changes: Partial<Wish>, terms: Terms) => grantOf(wish(changes), terms, 'auth/token/create');

describe('policies of a new token', () => {
  for (const [what, terms, given, expected] of [
    ['none: those of the parent, exactly', PLAIN, {}, ['a', 'b', 'default']],
    ['none: those of the parent, without default', BARE, {}, ['a', 'b']],
    ['none of a root token: root', ROOT, {}, ['root']],
    ['given: default joins', ROOT, { policies: ['z', 'a', 'z'] }, ['a', 'default', 'z']],
    ['given without default', ROOT, { policies: ['a'], noDefaultPolicy: true }, ['a']],
    ['folded and trimmed', ROOT, { policies: ['  Ops ', 'OPS'], noDefaultPolicy: true }, ['ops']],
    ['root in any spelling, from root, is root alone', ROOT, { policies: ['x', ' RooT '] }, ['root']],
    ['a part of the parent’s', PLAIN, { policies: ['b'] }, ['b', 'default']],
    ['a part of a parent’s that lacks default', BARE, { policies: ['b'] }, ['b']],
    ['any with sudo', SUDO, { policies: ['other'] }, ['default', 'other']],
  ] as const) {
    test(what, () => assert.deepEqual(grant(given, terms).grant.policies, expected));
  }

  for (const [what, terms, policies] of [
    ['beyond the parent’s', PLAIN, ['c']],
    ['beyond the parent’s among others', PLAIN, ['a', 'c']],
    ['root without root', PLAIN, ['root']],
    ['root with sudo', SUDO, ['ROOT\t']],
    ['default that the parent lacks', BARE, ['default']],
    ['a name that is none', ROOT, ['../root']],
    ['that of wrapping tokens', ROOT, ['Response-Wrapping ']],
  ] as const) {
    test(`${what}: 400`, () => assert.throws(() => grant({ policies }, terms), { status: 400 }));
  }

  for (const [json, expected] of [
    ['["a","b"]', ['a', 'b']],
    ['[" A","b\\t"]', ['a', 'b']],
    ['"a,b"', ['a,b']],
    ['[]', []],
    ['""', []],
    ['null', []],
    ['["",""]', []],
  ] as const) {
    test(`${json} names ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(policyList.parse('policies', scanJson(json)), expected);
    });
  }
  for (const json of ['1', '{}', '[1]', '[["a"]]', '[null]', 'true']) {
    test(`${json}: 400`, () => assert.throws(() => policyList.parse('policies', scanJson(json)), { status: 400 }));
  }
  test('at most 256 names', () => {
    const names = (n: number) => scanJson(JSON.stringify(Array.from({ length: n }, (_, i) => `p${i}`)));
    assert.equal(policyList.parse('policies', names(256)).length, 256);
    assert.throws(() => policyList.parse('policies', names(257)), { status: 400 });
  });
});

describe('lifetime of a new token', () => {
  for (const [what, terms, given, expected, warned] of [
    ['not given: the default', PLAIN, {}, { ttl: 100 }, 0],
    ['given', PLAIN, { ttl: 7 }, { ttl: 7 }, 0],
    ['the maximum itself', PLAIN, { ttl: 1_000 }, { ttl: 1_000 }, 0],
    ['above the maximum is cut', PLAIN, { ttl: 1_001 }, { ttl: 1_000 }, 1],
    ['a root token lives for ever', ROOT, {}, { ttl: 0, renewable: false }, 0],
    ['a root token with a ttl does not', ROOT, { ttl: 5 }, { ttl: 5, renewable: true }, 0],
    ['others of a root token have the default', ROOT, { policies: ['a'] }, { ttl: 100 }, 0],
    [
      'explicit_max_ttl cuts what was asked',
      PLAIN,
      { ttl: 50, explicitMaxTtl: 10 },
      { ttl: 10, explicitMaxTtl: 10 },
      1,
    ],
    ['explicit_max_ttl bounds the default', PLAIN, { explicitMaxTtl: 10 }, { ttl: 10 }, 0],
    ['explicit_max_ttl above the maximum is cut', PLAIN, { explicitMaxTtl: 2_000 }, { explicitMaxTtl: 1_000 }, 1],
    ['a period is the ttl', PLAIN, { period: 60, ttl: 5 }, { ttl: 60, period: 60 }, 0],
    ['a period above the maximum is cut', PLAIN, { period: 1_001 }, { ttl: 1_000, period: 1_000 }, 1],
    ['not renewable', PLAIN, { renewable: false }, { renewable: false }, 0],
  ] as const) {
    test(what, () => {
      const made = grant(given, terms);
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(new Map<string, unknown>(Object.entries(made.grant)).get(name), value, name);
      }
      assert.equal(made.warnings.length, warned);
    });
  }

  test('an expiring root token makes none that does not expire', () => {
    const terms = { ...ROOT, mortal: true };
    assert.throws(() => grant({}, terms), { status: 400 });
    assert.equal(grant({ ttl: 5 }, terms).grant.ttl, 5);
    assert.equal(grant({ policies: ['a'] }, terms).grant.ttl, 100);
  });
});

test('display names are letters, digits and dashes behind token-', () => {
  for (const [given, expected] of [
    ['', 'token'],
    ['me', 'token-me'],
    ['Bob Smith!', 'token-Bob-Smith'],
    ['a.b_c', 'token-a-b-c'],
    ['é\n\u0000', 'token---'],
  ] as const) {
    assert.equal(grant({ displayName: given }, ROOT).grant.displayName, expected);
  }
});
