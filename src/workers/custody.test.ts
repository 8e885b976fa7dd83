import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SealRecord, Unsealing } from '../barrier/index.ts';
import { isSealed } from '../barrier/testing.ts';
import { Custody, type Member } from './custody.ts';

const KEY = Buffer.alloc(32, 7);
const RECORD: SealRecord = { type: 'shamir', shares: 1, threshold: 1, root: KEY, check: undefined };

/** A process as its supervisor sees it. It hears and does things as late as `turn` lets it. */
class Process implements Member {
  shuts = 0;
  /** Times that it heard so itself. */
  heard = 0;
  /** Times that it dropped its key. */
  drops = 0;
  /** The key that it was opened with. */
  key: string | undefined;
  ended = false;
  /** As it was lent: the caller wipes it. */
  lent: Buffer | undefined;
  readonly #turn: () => Promise<void>;
  readonly #did: string[];

  constructor(turn: () => Promise<void> = async () => {}, did: string[] = []) {
    this.#turn = turn;
    this.#did = did;
  }

  async open(rootKey: Buffer): Promise<void> {
    this.lent = rootKey;
    const key = rootKey.toString('hex');
    await this.#turn();
    await this.become(key);
  }

  /** Opens itself, which takes a while; one that drops its key meanwhile fails, and is ended for that. */
  async become(key: string): Promise<void> {
    const { drops } = this;
    await this.#turn();
    this.#did.push('open');
    if (drops === this.drops) this.key = key;
    else this.ended = true;
  }

  async shut(): Promise<void> {
    this.shuts += 1;
    await this.#turn();
    this.#did.push('shut');
    this.heard += 1;
    this.drop();
  }

  drop(): void {
    this.drops += 1;
    this.key = undefined;
  }
}

function unsealing(): Unsealing & { readonly told: string[] } {
  const told: string[] = [];
  return {
    told,
    submit: () => Buffer.from(KEY),
    reset: () => void told.push('reset'),
    progress: () => ({ count: 2, nonce: 'n' }),
    opened: () => void told.push('opened'),
    sealed: () => void told.push('sealed'),
  };
}

/** Resolves when `release` is called. */
function gate(): { turn: () => Promise<void>; release(): void } {
  let release = (): void => {};
  const open = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { turn: () => open, release: () => release() };
}

test('who was opened opens the others with its key; who was sealed seals them', async () => {
  const members = [new Process(), new Process(), new Process()];
  const [first = new Process(), ...others] = members;
  const { told, ...round } = unsealing();
  const custody = new Custody(round, () => members);
  assert.equal(custody.rootKey, undefined);
  await custody.opened(first, KEY, 0);
  assert.deepEqual(
    others.map(({ key }) => key),
    [KEY.toString('hex'), KEY.toString('hex')],
  );
  assert.equal(first.lent, undefined, 'it is open already');
  assert.deepEqual(custody.rootKey, KEY);
  assert.notEqual(custody.rootKey, KEY, 'a copy of its own: the caller wipes the one it gave');
  await custody.sealed();
  assert.deepEqual(
    members.map(({ shuts }) => shuts),
    [1, 1, 1],
  );
  assert.equal(custody.rootKey, undefined);
  assert.deepEqual(told, ['opened', 'sealed']);
});

test('the key that is kept is wiped when the server is sealed, and when another takes its place', async () => {
  const custody = new Custody(unsealing(), () => []);
  const member = new Process();
  await custody.opened(member, KEY, 0);
  const first = custody.rootKey;
  await custody.opened(member, Buffer.alloc(32, 8), 0);
  const second = custody.rootKey;
  assert.deepEqual([first, second], [Buffer.alloc(32), Buffer.alloc(32, 8)]);
  await custody.sealed();
  assert.deepEqual(second, Buffer.alloc(32));
});

test('the round of shares is that of the whole server', async () => {
  const round = unsealing();
  const custody = new Custody(round, () => []);
  assert.deepEqual(await custody.submit(RECORD, KEY), KEY);
  assert.deepEqual(await custody.progress(), { count: 2, nonce: 'n' });
  await custody.reset();
  assert.deepEqual(round.told, ['reset']);
  const refusing = new Custody({ ...round, submit: () => Promise.reject(new Error('wrong')) }, () => []);
  await assert.rejects(refusing.submit(RECORD, KEY), /wrong/);
});

test('one change waits for the one before it', async () => {
  const heard: string[] = [];
  const { turn, release } = gate();
  const [by, other] = [new Process(), new Process(turn, heard)];
  const custody = new Custody(unsealing(), () => [by, other]);
  const changes = [custody.opened(by, KEY, 0), custody.sealed()];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([heard, other.shuts], [[], 0]);
  assert.deepEqual(custody.rootKey, KEY);
  release();
  await Promise.all(changes);
  assert.deepEqual(heard, ['open', 'shut']);
  assert.equal(other.key, undefined);
});

test('who has not heard yet that it was sealed opens nobody', async () => {
  const [by, other] = [new Process(), new Process()];
  const custody = new Custody(unsealing(), () => [by, other]);
  await custody.opened(by, KEY, 0);
  const late = [custody.sealed(), custody.opened(by, KEY, 0)];
  await assert.rejects(Promise.all(late), isSealed);
  assert.deepEqual([by.key, other.key, custody.rootKey], [undefined, undefined, undefined]);
  await custody.opened(by, KEY, 1);
  assert.equal(other.key, KEY.toString('hex'));
});

test('a change that fails keeps no other from being made', async () => {
  const custody = new Custody({ ...unsealing(), opened: () => Promise.reject(new Error('no')) }, () => []);
  const by = new Process();
  await assert.rejects(custody.opened(by, KEY, 0), /no/);
  await custody.sealed();
  assert.equal(custody.rootKey, undefined);
});

type Step = { readonly by: number; readonly act: 'open' | 'seal' | 'join' };

const steps = fc.array(fc.record<Step>({ by: fc.nat({ max: 4 }), act: fc.constantFrom('open', 'seal', 'join') }), {
  minLength: 1,
  maxLength: 12,
});

test('whatever is opened, sealed and started at once: in the end all agree, and with the one that keeps the key', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, async (scheduler, given) => {
      const turn = async (): Promise<void> => void (await scheduler.schedule(Promise.resolve()));
      const make = (): Process => new Process(turn);
      const members = [make(), make(), make()];
      const custody = new Custody(unsealing(), () => members);
      const changes = given.map(async ({ by, act }) => {
        await turn();
        const member = members[by % members.length] ?? make();
        if (act === 'join') {
          const late = make();
          // As a start goes: the key is read when the order goes out, and the process is a member from then on.
          late.key = custody.rootKey?.toString('hex');
          members.push(late);
        } else if (act === 'seal') {
          member.drop();
          await custody.sealed();
        } else {
          const { drops } = member;
          await turn();
          // It heard of a seal while it opened itself.
          if (drops !== member.drops) return;
          member.key = KEY.toString('hex');
          // Where this is refused, the seal that it has not heard of is on its way.
          await custody.opened(member, KEY, member.heard).catch(() => {});
        }
      });
      await scheduler.waitFor(Promise.all(changes));
      const kept = custody.rootKey?.toString('hex');
      const lives = members.filter(({ ended }) => !ended);
      assert.deepEqual(
        lives.map(({ key }) => key),
        lives.map(() => kept),
      );
    }),
    { numRuns: 300 },
  );
});
