import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answerList, type Names, namesOf, PIECE, shownNames } from './listing.ts';

interface Asked {
  readonly limit?: number;
  readonly after?: string;
  readonly visible?: (name: string) => boolean;
}

/** A folder of n names, read as a store reads it; counts how often it is held, and does what is to be done behind. */
function folder(n: number) {
  const names = Array.from({ length: n }, (_, i) => String(i).padStart(8, '0'));
  const state = { held: 0, reads: 0, most: 0 };
  const behind: (() => Promise<void>)[] = [];
  const read = ({ after, limit }: { after: string; limit: number }) => {
    state.reads += 1;
    state.most = Math.max(state.most, limit);
    return { keys: names.filter((name) => name > after).slice(0, limit) };
  };
  const hold = (begin?: () => Promise<void>) => {
    if (begin !== undefined) behind.push(begin);
    let held = true;
    state.held += 1;
    return () => {
      if (held) state.held -= 1;
      held = false;
    };
  };
  const shown = ({ limit = 0, after = '', visible }: Asked): Names => shownNames(namesOf(read, after), limit, visible);
  const answer = async (asked: Asked) => {
    const answered = await answerList(shown(asked), hold);
    for (const begin of behind) await begin();
    return answered;
  };
  return { names, state, answer };
}

async function all(made: ReturnType<typeof folder>, asked: Asked): Promise<string[]> {
  const { data, moreKeys } = await made.answer(asked);
  const keys = [...data.keys];
  assert.ok(keys.length > 0, 'what is answered first is never empty');
  for await (const more of moreKeys ?? []) keys.push(...more);
  return keys;
}

describe('the answer of a list', () => {
  for (const n of [1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 1]) {
    for (const limit of [0, -1, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE]) {
      test(`${n} names, limit ${limit}`, async () => {
        const made = folder(n);
        const wanted = limit > 0 ? made.names.slice(0, limit) : made.names;
        assert.deepEqual(await all(made, { limit }), wanted);
        assert.equal(made.state.held, 0);
        assert.ok(made.state.most <= Math.min(PIECE, limit > 0 ? limit : PIECE));
      });
    }
  }

  test('goes on behind `after`', async () => {
    const made = folder(2 * PIECE);
    assert.deepEqual(await all(made, { after: made.names[9] ?? '' }), made.names.slice(10));
  });

  test('nothing to list is a 404', async () => {
    await assert.rejects(folder(0).answer({}), { status: 404, errors: [] });
  });

  test('a list that fits into one piece holds nothing', async () => {
    const made = folder(PIECE - 1);
    const { moreKeys } = await made.answer({});
    assert.equal(moreKeys, undefined);
    assert.equal(made.state.held, 0);
  });

  test('the snapshot is let go when the reader stops early, and when nobody reads', async () => {
    const made = folder(4 * PIECE);
    const early = await made.answer({});
    for await (const _ of early.moreKeys ?? []) break;
    assert.equal(made.state.held, 0);
    const unread = await made.answer({});
    assert.equal(made.state.held, 1);
    unread.moreKeys?.close();
    assert.equal(made.state.held, 0);
  });
});

describe('a list of which not all is shown', () => {
  const n = 4 * PIECE;
  const rules: readonly (readonly [string, (name: string) => boolean])[] = [
    ['every third', (name) => Number(name) % 3 === 0],
    ['the first', (name) => Number(name) === 0],
    ['the last', (name) => Number(name) === n - 1],
    ['one in the middle', (name) => Number(name) === 2 * PIECE],
    ['the first of a piece', (name) => Number(name) === PIECE],
    ['those of the last piece', (name) => Number(name) >= 3 * PIECE],
    ['all', () => true],
  ];
  for (const [what, visible] of rules) {
    for (const limit of [0, 1, 2, PIECE, n]) {
      test(`${what}, limit ${limit}: as many as were asked for, of what is shown`, async () => {
        const made = folder(n);
        const wanted = made.names.filter(visible);
        assert.deepEqual(await all(made, { limit, visible }), limit > 0 ? wanted.slice(0, limit) : wanted);
        assert.equal(made.state.held, 0);
      });
    }
  }

  test('none: as if nothing were there, and nothing is held', async () => {
    for (const size of [1, PIECE, n]) {
      const made = folder(size);
      await assert.rejects(made.answer({ visible: () => false }), { status: 404, errors: [] });
      assert.equal(made.state.held, 0);
    }
  });

  test('the transaction itself reads one piece: it would remember what it reads', async () => {
    const made = folder(n);
    const names = shownNames(
      namesOf(() => ({ keys: made.names.slice(0, PIECE) }), ''),
      0,
      () => false,
    );
    let begun = false;
    const { data, moreKeys } = await answerList(names, (begin) => {
      begun = begin !== undefined;
      return () => {};
    });
    assert.ok(begun && moreKeys !== undefined);
    assert.deepEqual(data.keys, []);
  });
});
