import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Acl } from './acl.ts';
import { CAPABILITIES, type Capability } from './capability.ts';
import type { Identity } from './identity.ts';
import type { Policy, Rule } from './parse.ts';
import { rulePath } from './rule-path.ts';

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

/** The rules that count for who calls at a moment: templates filled in, those that cannot be and those that ended left out. */
function counting(policies: readonly Policy[], identity: Identity | undefined, now: number): readonly Policy[] {
  return policies.map(({ rules }) => ({
    rules: rules.flatMap((rule) => {
      if (rule.expires !== undefined && rule.expires <= now) return [];
      const values: Readonly<Record<string, string | undefined>> = {
        '{{identity.entity.name}}': identity?.name,
        '{{ identity.entity.metadata.team }}': identity?.metadata.get('team'),
      };
      let path = rule.path;
      for (const [reference, value = ''] of Object.entries(values)) {
        if (!path.includes(reference)) continue;
        if (value === '' || ['*', '+', '/', ','].some((c) => value.includes(c))) return [];
        path = path.replaceAll(reference, value);
      }
      return [{ ...rule, path }];
    }),
  }));
}

/** A folder's two spellings. */
const folder = (path: string) => {
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  return bare === '' ? [''] : [`${bare}/`, bare];
};

// Few names and many +, so that rules meet on one path; a few rules stretch to others by a beginning.
const segment = fc.constantFrom('a', 'a', 'b', 'ab', '+', '+', '+');
const body = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const written = fc.oneof(
  fc.tuple(body, fc.constantFrom('', '', '/', '/*')).map((parts) => parts.join('')),
  body.filter((path) => !path.endsWith('+')).map((path) => `${path}*`),
  fc.constant('*'),
);
const templates = fc.constantFrom('{{identity.entity.name}}', '{{ identity.entity.metadata.team }}');
/** @param glued what may stand in one segment with a template */
const templatedBy = (...glued: readonly string[]) =>
  fc
    .tuple(templates, fc.constantFrom('', 'a/', '+/', ...glued), fc.constantFrom('', '/+', '/a*', '*', ...glued))
    .map(([template, before, after]) => before + template + after);
const capabilities = fc
  .subarray([...CAPABILITIES], { maxLength: 3 })
  .map((list): ReadonlySet<Capability> => new Set(list.includes('deny') ? ['deny'] : list));
const rule: fc.Arbitrary<Rule> = fc.record({ path: written, capabilities });
const policiesOf = (one: fc.Arbitrary<Rule>) =>
  fc.array(fc.record({ rules: fc.array(one, { maxLength: 8 }) }), { maxLength: 3 });
const policies = policiesOf(rule);
const changingBy = (templated: fc.Arbitrary<string>): fc.Arbitrary<Rule> =>
  fc
    .record({ path: fc.oneof(written, templated), capabilities, expires: fc.constantFrom(undefined, 1, 2, 3) })
    .map(({ path, expires, ...rest }) => ({
      ...rulePath(path, 1),
      ...rest,
      ...(expires === undefined ? {} : { expires }),
    }));
const value = fc.constantFrom('a', 'b', 'ab', '', '*', '+', 'a/b', 'a,b');
const identity = fc.option(
  fc.record({ name: value, team: value }).map(
    ({ name, team }): Identity => ({
      version: `${name} ${team}`,
      id: 'id',
      name,
      metadata: new Map([['team', team]]),
      aliases: new Map(),
      groups: [],
    }),
  ),
  { nil: undefined },
);
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

test('with templates and rules that end, too', () => {
  fc.assert(
    fc.property(
      policiesOf(changingBy(templatedBy('a', 'b'))),
      identity,
      fc.nat(4),
      fc.array(path, { minLength: 1, maxLength: 8 }),
      (all, who, now, paths) => {
        const shared = Acl.compile(all, now);
        const acl = who === undefined ? shared : shared.of(who);
        const left = counting(all, who, now);
        const ends = all.flatMap(({ rules }) => rules.flatMap(({ expires = now }) => (expires > now ? [expires] : [])));
        assert.equal(acl.endsAt, Math.min(...ends, Number.POSITIVE_INFINITY));
        for (const at of paths) {
          const either = decide(left, folder(at));
          const seen = [...((at.endsWith('/') ? either : decide(left, [at])) ?? [])].sort();
          assert.deepEqual(acl.capabilities(at), seen.length === 0 ? ['deny'] : seen);
          assert.equal(acl.allows('list', at), either?.has('list') ?? false);
        }
      },
    ),
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
    fc.property(
      policiesOf(changingBy(templatedBy())),
      identity,
      fc.constantFrom('a/', 'ab/', 'a/b/'),
      (written, who, mount) => {
        const all = counting(written, who, 2);
        const granted = (set: ReadonlySet<string> | undefined) => set !== undefined && set.size > 0;
        let expected = granted(decide(all, folder(mount)));
        for (const at of expected ? [] : beneath(mount, 6 - mount.split('/').length)) {
          if (!granted(decide(all, [at]))) continue;
          expected = true;
          break;
        }
        const acl = Acl.compile(written, 2);
        assert.equal((who === undefined ? acl : acl.of(who)).reaches(mount), expected);
      },
    ),
    { numRuns: Math.min(numRuns / 10, 2_000) },
  );
});
