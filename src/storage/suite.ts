import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { compareKeys } from './keys.ts';
import { MAX_KEY_BYTES, type Store, TRANSACTION_LIMITS, type Transaction } from './store.ts';
import { all, children, followModel, put, step, text } from './testing/model.ts';

/** One store under examination, empty at first. */
export interface Candidate {
  readonly store: Store;
  /** Closes and opens it again where it outlives its process; otherwise absent. */
  readonly reopen?: () => Promise<Store>;
  readonly discard: () => Promise<void>;
}

const get = (store: Store, key: string): Promise<string | undefined> =>
  store.transact(async (tx) => text(await tx.get(key)));

/** The exam that every store passes: the contract of `store.ts`, clause by clause; `skip` says why it cannot be taken here. */
export function examine(name: string, open: () => Promise<Candidate>, skip: string | false = false): void {
  describe(name, { concurrency: 4, skip }, () => {
    const candidates: Candidate[] = [];
    const fresh = async (): Promise<Candidate> => {
      const candidate = await open();
      candidates.push(candidate);
      return candidate;
    };
    after(async () => {
      for (const candidate of candidates) await candidate.discard();
    });

    test('what is put is read by later transactions, what is deleted is not', async () => {
      const { store } = await fresh();
      await put(store, { a: '1', b: '' });
      assert.deepEqual([await get(store, 'a'), await get(store, 'b'), await get(store, 'c')], ['1', '', undefined]);
      await store.transact((tx) => tx.delete('a'));
      assert.equal(await get(store, 'a'), undefined);
    });

    test('a transaction reads its own writes', async () => {
      const { store } = await fresh();
      await put(store, { a: '1', 'f/x': '1', 'g/x': '1' });
      await store.transact(async (tx) => {
        tx.put('b', Buffer.from('2'));
        tx.delete('a');
        tx.delete('g/x');
        tx.spend.put('c', Buffer.from('3'));
        assert.deepEqual(
          [text(await tx.get('a')), text(await tx.get('b')), text(await tx.get('c'))],
          [undefined, '2', '3'],
        );
        assert.deepEqual((await tx.getMany(['b', 'a'])).map(text), ['2', undefined]);
        assert.deepEqual(
          (await all(tx)).map(({ key }) => key),
          ['b', 'c', 'f/x'],
        );
        assert.deepEqual(
          (await tx.range({ start: 'a', end: 'z', limit: 1 })).map(({ key }) => key),
          ['b'],
        );
        assert.deepEqual(await tx.list({ prefix: '', after: '', limit: 9 }), ['b', 'c', 'f/']);
      });
    });

    test('keys are ordered by their UTF-8 bytes', async () => {
      const { store } = await fresh();
      const keys = ['a', 'a\u0000', 'a b', 'a!', 'a/', 'a0', 'B', 'é', '\u{ffff}', '😀', '\u{e000}', '~'];
      await put(store, Object.fromEntries(keys.map((key) => [key, 'v'])));
      const sorted = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual(
        (await store.transact(all)).map(({ key }) => key),
        sorted,
      );
      assert.deepEqual([...keys].sort(compareKeys), sorted);
    });

    test('a range holds start ≤ key < end, at most the limit', async () => {
      const { store } = await fresh();
      await put(store, { a: '1', b: '2', c: '3', d: '4' });
      const range = (start: string, end: string, limit: number): Promise<(string | undefined)[]> =>
        store.transact(async (tx) =>
          (await tx.range({ start, end, limit })).map(({ key, value }) => key + text(value)),
        );
      assert.deepEqual(await range('b', 'd', 9), ['b2', 'c3']);
      assert.deepEqual(await range('b', 'd', 1), ['b2']);
      assert.deepEqual(await range('aa', 'b', 9), []);
    });

    for (const [given, expected] of [
      [{ prefix: '', after: '', limit: 99 }, ['10', 'B', 'a', 'a!', 'a/', 'b', 'c/', 'é/']],
      [{ prefix: 'a/', after: '', limit: 99 }, ['x', 'y/']],
      [{ prefix: 'a/y/', after: '', limit: 99 }, ['z']],
      [{ prefix: 'b/', after: '', limit: 99 }, []],
      [{ prefix: '', after: '', limit: 3 }, ['10', 'B', 'a']],
      [{ prefix: '', after: 'a', limit: 2 }, ['a!', 'a/']],
      [{ prefix: '', after: 'a/', limit: 2 }, ['b', 'c/']],
      [{ prefix: '', after: 'a/y', limit: 1 }, ['b']],
      [{ prefix: '', after: 'aa', limit: 9 }, ['b', 'c/', 'é/']],
      [{ prefix: '', after: 'é/', limit: 9 }, []],
    ] as const) {
      test(`a listing ${JSON.stringify(given)} gives direct children`, async () => {
        const { store } = await fresh();
        const keys = ['b', 'a', 'a/x', 'a/y/z', 'a/y/q/r', 'c/d', 'B', '10', 'a!', 'é/1', 'é/2'];
        await put(store, Object.fromEntries(keys.map((key) => [key, 'v'])));
        const expectedHere = given.prefix === 'a/y/' ? ['q/', 'z'] : expected;
        assert.deepEqual(await store.transact((tx) => tx.list(given)), expectedHere);
        // Own writes take another way to the same answer.
        const own = await store.transact(async (tx) => {
          tx.put(`${given.prefix}zz/own`, Buffer.from('v'));
          tx.delete(`${given.prefix}zz/own`);
          return tx.list(given);
        });
        assert.deepEqual(own, expectedHere);
      });
    }

    test('a listing of folders of all sizes gives each once, in pieces of any size', async () => {
      const { store } = await fresh();
      const folders = [1, 3, 400, 2, 0, 0, 17, 0, 16, 1].entries();
      const keys = [...folders].flatMap(([i, size]) =>
        size === 0 ? [`p/${i}`] : Array.from({ length: size }, (_, j) => `p/${i}/${j}`),
      );
      const leaves = Array.from({ length: 300 }, (_, i) => `p/x${String(i).padStart(3, '0')}`);
      await put(store, Object.fromEntries([...keys, ...leaves, 'p0', 'o'].map((key) => [key, 'v'])));
      const expected = children(new Map([...keys, ...leaves].map((key) => [key, 'v'])), 'p/', '');
      for (const limit of [7, 256, 1000]) {
        const names: string[] = [];
        for (let last: string | undefined = ''; last !== undefined; last = names.at(-1)) {
          const listing = { prefix: 'p/', after: last, limit };
          const page = await store.transact((tx) => tx.list(listing));
          names.push(...page);
          if (page.length < limit) break;
        }
        assert.deepEqual(names, expected);
      }
    });

    test('a function that throws leaves behind what it spent and nothing else', async () => {
      const { store } = await fresh();
      await put(store, { uses: '2' });
      const refused = store.transact(async (tx) => {
        tx.put('written', Buffer.from('1'));
        tx.spend.put('uses', Buffer.from('1'));
        throw new Error('refused');
      });
      await assert.rejects(refused, /^Error: refused$/);
      assert.deepEqual([await get(store, 'written'), await get(store, 'uses')], [undefined, '1']);
    });

    test('parallel increments of one record lose none', async () => {
      const { store } = await fresh();
      await Promise.all(
        Array.from({ length: 64 }, () =>
          store.transact(async (tx) => tx.put('n', Buffer.from(String(Number((await tx.get('n')) ?? 0) + 1)))),
        ),
      );
      assert.equal(await get(store, 'n'), '64');
    });

    test('of 64 that spend the last use exactly one does', async () => {
      const { store } = await fresh();
      await put(store, { use: '1' });
      const spent = await Promise.allSettled(
        Array.from({ length: 64 }, () =>
          store.transact(async (tx) => {
            if ((await tx.get('use')) === undefined) throw new Error('none left');
            tx.spend.delete('use');
            throw new Error('refused after spending');
          }),
        ),
      );
      const reasons = spent.map((result) => (result.status === 'rejected' ? String(result.reason) : 'kept'));
      assert.equal(reasons.filter((reason) => reason.includes('after spending')).length, 1);
      assert.equal(reasons.filter((reason) => reason.includes('none left')).length, 63);
    });

    // Each of two transactions reads what the other writes; run one after the other, only one would write.
    const skew: readonly (readonly [string, (tx: Transaction) => Promise<number>])[] = [
      ['a missing key', async (tx) => (await tx.getMany(['s/x', 's/y'])).filter((value) => value !== undefined).length],
      ['a range', async (tx) => (await tx.range({ start: 's/', end: 's0', limit: 9 })).length],
      ['a listing', async (tx) => (await tx.list({ prefix: 's/', after: '', limit: 9 })).length],
    ];
    for (const [what, count] of skew) {
      test(`no write skew over ${what}`, async () => {
        const { store } = await fresh();
        const insert = (key: string): Promise<boolean> =>
          store.transact(async (tx) => {
            if ((await count(tx)) > 0) return false;
            tx.put(key, Buffer.from('1'));
            return true;
          });
        const inserted = await Promise.all([insert('s/x'), insert('s/y')]);
        assert.deepEqual(inserted.sort(), [false, true]);
      });
    }

    test('a loser spoils nobody: independent writes beside a contended one all arrive', async () => {
      const { store } = await fresh();
      const contended = Array.from({ length: 16 }, () =>
        store.transact(async (tx) => tx.put('hot', Buffer.from(`${text(await tx.get('hot')) ?? ''}.`))),
      );
      const independent = Array.from({ length: 16 }, (_, i) => put(store, { [`cold/${i}`]: 'v' }));
      await Promise.all([...contended, ...independent]);
      assert.equal((await get(store, 'hot'))?.length, 16);
      assert.equal((await store.transact((tx) => tx.list({ prefix: 'cold/', after: '', limit: 99 }))).length, 16);
    });

    test('reads of one transaction are of one moment', async () => {
      const { store } = await fresh();
      await put(store, { x: '0', y: '0' });
      let stop = false;
      const writer = (async (): Promise<void> => {
        for (let i = 1; !stop && i < 500; i++) await put(store, { x: String(i), y: String(i) });
      })();
      for (let i = 0; i < 200; i++) {
        const [x, y] = await store.transact(async (tx) => [text(await tx.get('x')), text(await tx.get('y'))]);
        assert.equal(x, y);
      }
      stop = true;
      await writer;
    });

    test('a held snapshot reads on as of its moment, until it is let go', async () => {
      const { store } = await fresh();
      await put(store, { 'f/a': '1' });
      const { tx, release } = await store.transact((tx) => ({ tx, release: tx.hold() }));
      await put(store, { 'f/b': '2' });
      assert.deepEqual(await tx.list({ prefix: 'f/', after: '', limit: 9 }), ['a']);
      release();
      release();
      await assert.rejects(async () => tx.list({ prefix: 'f/', after: '', limit: 9 }), /held no longer/);
      assert.deepEqual(await store.transact((now) => now.list({ prefix: 'f/', after: '', limit: 9 })), ['a', 'b']);
    });

    test('of two holds the first to end does not end the other, and every read after both throws', async () => {
      const { store } = await fresh();
      await put(store, { 'f/a': '1' });
      const { tx, one, two } = await store.transact((tx) => ({ tx, one: tx.hold(), two: tx.hold() }));
      await put(store, { 'f/a': '2', 'f/b': '2' });
      one();
      assert.equal(text(await tx.get('f/a')), '1');
      assert.deepEqual((await tx.getMany(['f/a', 'f/b'])).map(text), ['1', undefined]);
      two();
      const range = { start: 'f/', end: 'f0', limit: 9 };
      for (const read of [() => tx.get('f/c'), () => tx.getMany(['f/c']), () => tx.range(range)]) {
        await assert.rejects(async () => read(), /held no longer/);
      }
    });

    test('what is read after the function is over is not kept for its validation', async () => {
      const { store } = await fresh();
      const { tx, release } = await store.transact((tx) => ({ tx, release: tx.hold() }));
      const first = await tx.get('a');
      await put(store, { a: '1' });
      assert.deepEqual([first, await tx.get('a')], [undefined, undefined]);
      release();
    });

    test('closing waits for what is under way, and refuses what comes after', async () => {
      const { store, reopen } = await fresh();
      let closing: Promise<unknown> | undefined;
      const slow = store.transact(async (tx) => {
        closing ??= store.close();
        tx.put('late', Buffer.from(text(await tx.get('none')) ?? 'written'));
        return 'answered';
      });
      assert.equal(await slow, 'answered');
      await closing;
      await assert.rejects(get(store, 'late'), { name: 'ServiceError', status: 503 });
      if (reopen !== undefined) assert.equal(await get(await reopen(), 'late'), 'written');
    });

    test('what was spent is taken also where the transaction was too large to commit', async () => {
      const { store } = await fresh();
      const large = store.transact((tx) => {
        tx.spend.put('use', Buffer.from('0'));
        for (let i = 0; i <= TRANSACTION_LIMITS.keys; i++) tx.put(`k/${i}`, Buffer.alloc(0));
      });
      await assert.rejects(large, /at most 1000 keys/);
      assert.equal(await get(store, 'use'), '0');
    });

    test('empty and large values', async () => {
      const { store, reopen } = await fresh();
      const large = Buffer.alloc(33 * 1024 * 1024, 'x');
      await store.transact((tx) => {
        tx.put('large', large);
        tx.put('empty', Buffer.alloc(0));
      });
      const later = (await reopen?.()) ?? store;
      assert.ok((await later.transact((tx) => tx.get('large')))?.equals(large));
      assert.equal((await later.transact((tx) => tx.get('empty')))?.length, 0);
    });

    test('the longest key is kept, a longer one is refused and nothing is written', async () => {
      const { store } = await fresh();
      const longest = `${'é'.repeat((MAX_KEY_BYTES - 2) / 2)}k`;
      await put(store, { [longest]: 'v' });
      assert.equal(await get(store, longest), 'v');
      await assert.rejects(put(store, { a: 'v', [`${longest}k`]: 'v' }), /less than 1900 bytes/);
      assert.equal(await get(store, 'a'), undefined);
    });

    test('a transaction touches at most its limit of keys and bytes', async () => {
      const { store } = await fresh();
      const many = (n: number): Promise<void> =>
        store.transact((tx) => {
          for (let i = 0; i < n; i++) tx.put(`k/${i}`, Buffer.alloc(0));
        });
      await many(TRANSACTION_LIMITS.keys);
      await assert.rejects(many(TRANSACTION_LIMITS.keys + 1), /at most 1000 keys/);
      const bytes = Buffer.alloc(TRANSACTION_LIMITS.bytes / 2);
      await assert.rejects(
        store.transact((tx) => {
          for (const key of ['a', 'b', 'c']) tx.put(key, bytes);
        }),
        /at most 67108864 bytes/,
      );
      assert.equal(await get(store, 'a'), undefined);
    });

    test('time is one value within a transaction and never goes back', async () => {
      const { store, reopen } = await fresh();
      let last = await store.transact((tx) => tx.now);
      for (let i = 0; i < 50; i++) {
        const now = await store.transact((tx) => {
          tx.put('tick', Buffer.from('x'));
          return tx.now;
        });
        assert.ok(now >= last);
        last = now;
      }
      const later = await reopen?.();
      if (later !== undefined) assert.ok((await later.transact((tx) => tx.now)) >= last);
    });

    test('what was answered outlives the store', async (t) => {
      const { store, reopen } = await fresh();
      if (reopen === undefined) return t.skip('this store does not outlive its process');
      await put(store, { a: '1' });
      await put(store, { b: '2' });
      const later = await reopen();
      assert.deepEqual([await get(later, 'a'), await get(later, 'b')], ['1', '2']);
    });

    test('any sequence of operations gives what a plain map gives', async () => {
      const { store } = await fresh();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) => followModel(store, steps)),
        {
          numRuns: 60,
        },
      );
    });
  });
}
