import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Acl } from './acl.ts';
import type { Capability } from './capability.ts';
import { MAX_PATH_BYTES } from './limits.ts';

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

  test('rules that all match half of the path are bounded by their number', () => {
    const acl = compile(
      Array.from(
        { length: 2 ** 15 },
        (_, bits) => `${Array.from({ length: 15 }, (_, i) => (bits & (1 << i) ? '+' : 'a')).join('/')}/z`,
      ),
    );
    assert.equal(acl.allows('read', `${'a/'.repeat(15)}y`), false);
    const took = shortest(() => acl.allows('read', `${'a/'.repeat(15)}y`));
    assert.ok(took < 100, `${took} ms`);
    process.stdout.write(`# worst crafted rules: ${took.toFixed(2)} ms\n`);
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
