import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Listings } from './listings.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`);
const folder = (prefix: string, after = '') => ({ prefix, after, limit: 10_000 });

/** Listings that count how often a folder is walked. */
function counted(maxNames: number) {
  const listings = new Listings(maxNames);
  const state = { walks: 0 };
  const get = (commits: number, listing: ReturnType<typeof folder>, count: number) =>
    listings.get(commits, listing, () => {
      state.walks += 1;
      return names(count);
    });
  return { get, state };
}

describe('remembered listings', () => {
  test('are walked once while nothing is written, and again after a commit', () => {
    const { get, state } = counted(1_000);
    for (const commits of [1, 1, 2, 2, 1]) assert.equal(get(commits, folder('a/'), 100).length, 100);
    assert.equal(state.walks, 3);
  });

  test('differ by folder, by where they start and by their limit', () => {
    const { get, state } = counted(1_000);
    for (const listing of [folder('a/'), folder('b/'), folder('a/', 'x'), { ...folder('a/'), limit: 500 }]) {
      get(1, listing, 100);
    }
    assert.equal(state.walks, 4);
  });

  test('short ones, pages of a longer folder, and ones too long are not kept', () => {
    for (const [count, limit] of [
      [0, 10_000],
      [63, 10_000],
      [100, 100],
      [1_001, 10_000],
    ] as const) {
      const { get, state } = counted(1_000);
      for (let i = 0; i < 2; i++) get(1, { ...folder('a/'), limit }, count);
      assert.equal(state.walks, 2, `${count} names, limit ${limit}`);
    }
    const { get, state } = counted(1_000);
    for (let i = 0; i < 2; i++) get(1, folder('a/'), 64);
    assert.equal(state.walks, 1);
  });

  test('hold no more names than allowed, whatever is asked', () => {
    const { get, state } = counted(1_000);
    for (let i = 0; i < 100; i++) get(1, folder(`${i}/`), 100);
    state.walks = 0;
    for (let i = 0; i < 100; i++) get(1, folder(`${i}/`), 100);
    assert.ok(state.walks >= 90, `${state.walks} walks`);
  });
});
