import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Acl } from './acl.ts';
import { CAPABILITIES, type Capability } from './capability.ts';
import type { Policy, Rule } from './parse.ts';

/*
 * The model: every rule is tried on the path and the winner is found by comparing all that match, straight from the
 * words of 4-open-points ("Policy rules, most specific wins"). It shares nothing with the trie but the shape of a rule.
 */

/** Whether a rule path matches, segment by segment. */
function matches(rule: string, path: string): boolean {
  const starred = rule.endsWith('*');
  const want = (starred ? rule.slice(0, -1) : rule).split('/');
  const have = path.split('/');
  if (starred ? have.length < want.length : have.length !== want.length) return false;
  return want.every((segment, i) => {
    if (starred && i === want.length - 1) return have[i]?.startsWith(segment);
    return segment === '+' || segment === have[i];
  });
}

/** The words of the order, the largest first, as numbers. */
function specificity(rule: string): readonly number[] {
  const body = rule.endsWith('*') ? rule.slice(0, -1) : rule;
  const plus = `/${body}/`.indexOf('/+/');
  const first = plus !== -1 ? plus : rule.endsWith('*') ? body.length : 1e9;
  const count = body.split('/').filter((segment) => segment === '+').length;
  const unslashed = rule.endsWith('/') ? rule.length - 1 : body.length;
  return [first, rule.endsWith('*') ? 0 : 1, -count, unslashed];
}

/** Larger, equal or smaller, by the first number that differs. */
const compare = (a: readonly number[], b: readonly number[]) =>
  a.map((n, i) => n - (b[i] ?? 0)).find((d) => d !== 0) ?? 0;

/** Capabilities of the rule that decides over some spellings of a path; undefined when none matches. */
function decide(policies: readonly Policy[], spellings: readonly string[]): ReadonlySet<string> | undefined {
  const merged = new Map<string, Set<string>>();
  for (const { path, capabilities } of policies.flatMap((policy) => policy.rules)) {
    merged.set(path, new Set([...(merged.get(path) ?? []), ...capabilities]));
  }
  const candidates = spellings.flatMap((path, turn) =>
    [...merged].filter(([rule]) => matches(rule, path)).map(([rule, set]) => ({ rule, set, turn })),
  );
  const top = candidates.filter((a) => candidates.every((b) => compare(specificity(a.rule), specificity(b.rule)) >= 0));
  if (top.some(({ set }) => set.has('deny'))) return new Set();
  // Of equals that grant: the first spelling, and in it the rule with letters where the other has +, leftmost first.
  const plusPlaces = (rule: string) =>
    rule
      .split('/')
      .map((segment) => (segment === '+' ? '1' : '0'))
      .join('');
  return top.sort((a, b) => a.turn - b.turn || (plusPlaces(a.rule) < plusPlaces(b.rule) ? -1 : 1))[0]?.set;
}

/** A folder's two spellings. */
const folder = (path: string) => {
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  return bare === '' ? [''] : [`${bare}/`, bare];
};

// Few names and many +, so that rules meet on one path; a few rules stretch to others by a beginning.
const segment = fc.constantFrom('a', 'a', 'b', 'ab', '+', '+', '+');
const body = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const rulePath = fc.oneof(
  fc.tuple(body, fc.constantFrom('', '', '/', '/*')).map((parts) => parts.join('')),
  body.filter((path) => !path.endsWith('+')).map((path) => `${path}*`),
  fc.constant('*'),
);
const capabilities = fc
  .subarray([...CAPABILITIES], { maxLength: 3 })
  .map((list): ReadonlySet<Capability> => new Set(list.includes('deny') ? ['deny'] : list));
const rule: fc.Arbitrary<Rule> = fc.record({ path: rulePath, capabilities });
const policies = fc.array(fc.record({ rules: fc.array(rule, { maxLength: 8 }) }), { maxLength: 3 });
const path = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'a', 'a', 'b', 'b', 'ab', 'aba', '+', '*'), { maxLength: 5 }),
    fc.constantFrom('', '', '/'),
  )
  .map(([segments, slash]) => (segments.length === 0 ? '' : segments.join('/') + slash));

const { POLICY_RUNS } = process.env;
const numRuns = Number(POLICY_RUNS ?? 5_000);

test('the trie decides as the model does', () => {
  fc.assert(
    fc.property(policies, fc.array(path, { minLength: 1, maxLength: 10 }), (all, paths) => {
      const acl = Acl.compile(all);
      for (const at of paths) {
        const [plain, either] = [decide(all, [at]), decide(all, folder(at))];
        for (const operation of CAPABILITIES) {
          const by = operation === 'list' || operation === 'scan' ? either : plain;
          assert.equal(acl.allows(operation, at), by?.has(operation) ?? false, `${operation} ${at}`);
        }
        const seen = [...((at.endsWith('/') ? either : plain) ?? [])].sort();
        assert.deepEqual(acl.capabilities(at), seen.length === 0 ? ['deny'] : seen);
        assert.equal(acl.sudo(at, 'list'), either?.has('sudo') ?? false);
      }
    }),
    { numRuns },
  );
});

test('the order of rules and of policies decides nothing', () => {
  fc.assert(
    fc.property(policies, fc.array(path, { minLength: 1, maxLength: 10 }), (all, paths) => {
      const [one, other] = [Acl.compile(all), Acl.compile([{ rules: all.flatMap(({ rules }) => rules).reverse() }])];
      for (const at of paths) assert.deepEqual(one.capabilities(at), other.capabilities(at));
    }),
    { numRuns: numRuns / 5 },
  );
});

/** Every path beneath a mount out of the segments that can matter, to one level below the deepest rule. */
function* beneath(mount: string, depth: number): Generator<string> {
  for (const segment of ['', 'a', 'b', 'ab', 'abx', 'ax', 'bx', 'x']) {
    yield mount + segment;
    if (depth > 1 && segment !== '') yield* beneath(`${mount}${segment}/`, depth - 1);
  }
}

test('a mount is reached when the model finds a path beneath it', () => {
  fc.assert(
    fc.property(policies, fc.constantFrom('a/', 'ab/', 'a/b/'), (all, mount) => {
      const granted = (set: ReadonlySet<string> | undefined) => set !== undefined && set.size > 0;
      let expected = granted(decide(all, folder(mount)));
      for (const at of expected ? [] : beneath(mount, 6 - mount.split('/').length)) {
        if (!granted(decide(all, [at]))) continue;
        expected = true;
        break;
      }
      assert.equal(Acl.compile(all).reaches(mount), expected);
    }),
    { numRuns: Math.min(numRuns / 10, 2_000) },
  );
});
