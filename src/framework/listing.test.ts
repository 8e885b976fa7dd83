import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answerList, PIECE } from './listing.ts';

/** A folder of n names, read as a store reads it; counts how often it is held. */
function folder(n: number) {
  const names = Array.from({ length: n }, (_, i) => String(i).padStart(8, '0'));
  const state = { held: 0, reads: 0 };
  const read = (after: string, limit: number) => {
    state.reads += 1;
    return { keys: names.filter((name) => name > after).slice(0, limit) };
  };
  const hold = () => {
    state.held += 1;
    return () => {
      state.held -= 1;
    };
  };
  return { names, state, read, hold };
}

async function all({ read, hold }: ReturnType<typeof folder>, limit: number, after = ''): Promise<string[]> {
  const { data, moreKeys } = await answerList(read, { after, limit }, hold);
  const keys = [...data.keys];
  for await (const more of moreKeys ?? []) keys.push(...more);
  return keys;
}

describe('the answer of a list', () => {
  for (const n of [1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 1]) {
    for (const limit of [0, -1, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE]) {
      test(`${n} names, limit ${limit}`, async () => {
        const made = folder(n);
        const wanted = limit > 0 ? made.names.slice(0, limit) : made.names;
        assert.deepEqual(await all(made, limit), wanted);
        assert.equal(made.state.held, 0);
      });
    }
  }

  test('goes on behind `after`', async () => {
    const made = folder(2 * PIECE);
    assert.deepEqual(await all(made, 0, made.names[9]), made.names.slice(10));
  });

  test('nothing to list is a 404', async () => {
    const { read, hold } = folder(0);
    await assert.rejects(answerList(read, { after: '', limit: 0 }, hold), { status: 404, errors: [] });
  });

  test('a list that fits into one piece holds nothing', async () => {
    const made = folder(PIECE - 1);
    const { moreKeys } = await answerList(made.read, { after: '', limit: 0 }, made.hold);
    assert.equal(moreKeys, undefined);
    assert.equal(made.state.held, 0);
  });

  test('the snapshot is let go when the reader stops early, and when nobody reads', async () => {
    const made = folder(4 * PIECE);
    const early = await answerList(made.read, { after: '', limit: 0 }, made.hold);
    for await (const _ of early.moreKeys ?? []) break;
    assert.equal(made.state.held, 0);
    const unread = await answerList(made.read, { after: '', limit: 0 }, made.hold);
    assert.equal(made.state.held, 1);
    unread.moreKeys?.close();
    assert.equal(made.state.held, 0);
  });
});
