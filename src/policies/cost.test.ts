import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { jsonString } from '../framework/json/index.ts';
import { Acl } from './acl.ts';
import type { Capability } from './capability.ts';
import { MAX_PATH_BYTES, MAX_SHAPES } from './limits.ts';
import { parsePolicy } from './parse.ts';

const READ: ReadonlySet<Capability> = new Set(['read']);
const compile = (paths: readonly string[]) =>
  Acl.compile([{ rules: paths.map((path) => ({ path, capabilities: READ })) }]);

/** The shortest of several runs, in milliseconds: what the work costs when nothing disturbs it. */
function shortest(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 15; i += 1) {
    const start = process.hrtime.bigint();
    work();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
  }
  return best;
}

describe('cost', () => {
  /** Rules of every shape, all on other paths than the ones asked but for the first ten. */
  const rules = (count: number) =>
    Array.from(
      { length: count },
      (_, i) => [`kv/data/team${i}/*`, `kv/data/team${i}/+/x`, `+/data/t${i}/y*`, `kv/meta/team${i}`][i % 4] ?? '',
    );

  test('a look-up among 100,000 rules costs at most twice one among ten', () => {
    const paths = Array.from({ length: 100 }, (_, i) => `kv/data/team${i % 10}/a${i}/x`);
    const [few, many] = [compile(rules(10)), compile(rules(100_000))];
    const ask = (acl: Acl) => () => {
      for (let i = 0; i < 5_000; i += 1) acl.allows('read', paths[i % 100] ?? '');
    };
    const [ten, all] = [shortest(ask(few)), shortest(ask(many))];
    assert.ok(
      all <= 2 * ten,
      `10 rules: ${(ten / 5).toFixed(2)} µs, 100,000 rules: ${(all / 5).toFixed(2)} µs a look-up`,
    );
  });

  test('100,000 rules compile within two seconds', () => {
    const start = performance.now();
    compile(rules(100_000));
    assert.ok(performance.now() - start < 2_000);
  });

  test('long paths of letters, + and * cost no more than their length (G4)', () => {
    const acl = compile([
      `${'+/'.repeat(500)}x`,
      `${'+/'.repeat(400)}*`,
      `${'a'.repeat(1000)}*`,
      '+/+/+/+*x',
      ...Array.from({ length: 1000 }, (_, i) => `${'a'.repeat(i + 1)}b*`),
    ]);
    for (const path of [
      'a'.repeat(MAX_PATH_BYTES),
      '+/'.repeat(512).slice(0, -1),
      '*/'.repeat(512),
      'a/'.repeat(512),
      '*'.repeat(MAX_PATH_BYTES),
    ]) {
      const took = shortest(() => acl.allows('list', path));
      assert.ok(took < 5, `${took} ms`);
    }
  });

  test('what is longer than any canonical path matches nothing, at once', () => {
    const acl = compile(['*']);
    assert.equal(acl.allows('read', 'a'.repeat(MAX_PATH_BYTES)), true);
    for (const path of ['+/'.repeat(10_000), '*'.repeat(10_000), 'a'.repeat(MAX_PATH_BYTES + 2)]) {
      assert.deepEqual(acl.capabilities(path), ['deny']);
      assert.equal(acl.reaches(`${path}/`), false);
    }
  });

  /** Rules that all match half of `a/a/…`: every combination of `a` and `+` in so many segments. */
  const combinations = (depth: number, rest = 'z') =>
    Array.from(
      { length: 2 ** depth },
      (_, bits) => `${Array.from({ length: depth }, (_, i) => (bits & (1 << i) ? '+' : 'a')).join('/')}/${rest}`,
    );

  test('a policy whose + are in too many combinations of places is refused, with + or with what stands before a *', () => {
    const text = (paths: readonly string[]) => paths.map((path) => `path "${path}" {}`).join('');
    assert.equal(parsePolicy(text(combinations(8))).rules.length, 256);
    // 500 lengths before a * behind one +, 500 behind two, and so on.
    const lengths = (count: number) =>
      Array.from({ length: count }, (_, i) => `${'+/'.repeat(1 + Math.floor(i / 500))}${'a'.repeat(i % 500)}b*`);
    assert.equal(parsePolicy(text(lengths(MAX_SHAPES - 3))).rules.length, MAX_SHAPES - 3);
    for (const paths of [combinations(12), combinations(10), lengths(MAX_SHAPES - 2)]) {
      assert.throws(() => parsePolicy(text(paths)), { status: 400, message: /too many shapes/ });
    }
  });

  test('the worst rules a policy may hold cost a look-up little, and a set beyond the bound permits nothing', () => {
    const worst = compile(combinations(9));
    const miss = `${'a/'.repeat(9)}y`;
    assert.equal(worst.allows('read', miss), false);
    assert.equal(worst.allows('read', `${'a/'.repeat(9)}z`), true);
    const took = shortest(() => worst.allows('read', miss));
    assert.ok(took < 5, `${took} ms`);
    process.stdout.write(`# worst crafted rules: ${took.toFixed(3)} ms\n`);

    const beyond = compile([...combinations(15), 'plain']);
    for (const path of ['plain', `${'a/'.repeat(15)}z`]) assert.deepEqual(beyond.capabilities(path), ['deny']);
    assert.equal(beyond.reaches('plain/'), false);
  });

  test('a request under parameter rules costs no more among 100,000 rules than among ten', () => {
    const narrowed = Array.from({ length: 10 }, (_, i) =>
      parsePolicy(`path "x" { policy = "write" allowed_parameters = { "a${i}" = ["x", "y*"] } }`).rules.map(
        ({ path: _, ...terms }) => terms,
      ),
    );
    const policies = (count: number) =>
      Acl.compile([
        {
          rules: Array.from({ length: count }, (_, i) =>
            (narrowed[i % 10] ?? []).map((terms) => ({ path: `kv/data/team${i}/*`, ...terms })),
          ).flat(),
        },
      ]);
    const given = Array.from({ length: 10 }, (_, i) => [{ name: `a${i}`, value: jsonString('yes'), kind: undefined }]);
    const ask = (acl: Acl) => () => {
      for (let i = 0; i < 5_000; i += 1) {
        const decision = acl.decide('update', `kv/data/team${i % 10}/b`);
        assert.ok(decision?.constraints?.permits(given[i % 10] ?? [], true));
      }
    };
    const [ten, all] = [shortest(ask(policies(10))), shortest(ask(policies(100_000)))];
    assert.ok(all <= 2 * ten, `10 rules: ${(ten / 5).toFixed(2)} µs, 100,000 rules: ${(all / 5).toFixed(2)} µs`);
  });

  test('a mount that many rules could reach and a deny covers is answered in bounded time', () => {
    const deny: ReadonlySet<Capability> = new Set(['deny']);
    const covered = Array.from({ length: 100_000 }, (_, i) => ({ path: `+/a${i}/*`, capabilities: READ }));
    const acl = Acl.compile([{ rules: [...covered, { path: 'kv/*', capabilities: deny }] }]);
    const took = shortest(() => assert.equal(acl.reaches('kv/'), false));
    assert.ok(took < 200, `${took} ms`);
    process.stdout.write(`# covered mount: ${took.toFixed(2)} ms\n`);
  });
});
