// Mutated requests, cut at random points, go to our front and to Node's own parser. Ours must answer or close, never with a
// 500; it accepts nothing that Node's refuses, and understands what it accepts as Node's does, however the bytes were cut.
// FUZZ_SEED repeats a run, FUZZ_SECONDS lengthens it.
import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import { answersIn } from '../http/wire.ts';
import { Oracle, type Outcome, readByOurs, type Understood } from './readers.ts';
import { type Case, caseFrom, cutAt, faulty, randomFrom } from './wire-cases.ts';

const { FUZZ_SEED, FUZZ_SECONDS } = process.env;
const seed = Number(FUZZ_SEED ?? Date.now() % 1_000_000_007);
const seconds = Number(FUZZ_SECONDS ?? 2);
/** Enough for the test to say something where the machine is busy. */
const LEAST_CASES = 150;
/** Longer cases are not cut between all of their bytes. */
const CUT_EVERYWHERE = 2_000;

/** What ours accepts and Node's does not: any method, and a tab behind `chunked`, which RFC 9110 §5.5 lets stand there. */
const TAB_BEHIND_CODING = /^transfer-encoding:[ \t]*chunked *\t[ \t]*\r$/im;
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/** Names that are asked for whether they were sent or not. */
const NAMES = ['host', 'a', 'accept', 'x-latin', 'connection', 'content-length', 'transfer-encoding', 'c', 'x', ''];

/** What can be compared of a request. */
const seen = ({ method, target, body, lines }: Understood, names: readonly string[] = []): unknown => ({
  ...{ method, target, body },
  headers: [...NAMES, ...names].map((name) => [name, lines(name)]),
});

const statuses = ({ answers }: Outcome): readonly number[] =>
  answersIn(answers)
    .map(({ status }) => status)
    .filter((status) => status !== 100);

/** What comes of the bytes is the same in one piece and byte by byte. */
async function cutOtherwise({ bytes, cuts }: Case): Promise<void> {
  const ours = await readByOurs(cutAt(bytes, cuts));
  const answered = statuses(ours);
  const everywhere = bytes.length > CUT_EVERYWHERE ? [] : Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);
  for (const otherwise of [[], everywhere]) {
    const again = await readByOurs(cutAt(bytes, otherwise));
    assert.deepEqual(
      again.requests.map((request) => seen(request)),
      ours.requests.map((request) => seen(request)),
      'what is understood does not depend on where the bytes are cut',
    );
    assert.deepEqual(statuses(again), answered, 'nor does what is answered');
  }
}

/** How many requests both understood, after checking that they understood them alike. */
async function compare(oracle: Oracle, { bytes, cuts, sound }: Case): Promise<number> {
  const ours = await readByOurs(cutAt(bytes, cuts));
  const answered = statuses(ours);
  const accepted = ours.requests.length;
  const refused = answered.slice(accepted);
  assert.ok(!refused.some((status) => (status < 400 || status >= 500) && status !== 505), `answered: ${answered}`);
  assert.ok(
    answered.slice(0, accepted).every((status) => status === 200),
    `answered: ${answered}`,
  );
  assert.ok(answered.length >= accepted && refused.length <= 1, `${accepted} accepted, answered: ${answered}`);
  assert.ok(accepted >= sound, 'a sound request is accepted');

  const text = bytes.toString('latin1');
  const theirs = (await oracle.read(cutAt(bytes, cuts))).requests;
  for (const [i, request] of ours.requests.entries()) {
    const other = theirs[i];
    if (other === undefined && (!KNOWN_METHODS.has(request.method) || TAB_BEHIND_CODING.test(text))) return i;
    assert.ok(other !== undefined, `only ours accepts: ${JSON.stringify(seen(request))}`);
    assert.deepEqual(seen(request, other.names), seen(other, other.names));
  }
  return accepted;
}

test('nothing that readers of HTTP disagree on is accepted, unless Node accepts it alike', async (context) => {
  const oracle = new Oracle();
  let cases = 0;
  let compared = 0;
  for (const bytes of faulty()) {
    cases++;
    try {
      compared += await compare(oracle, { bytes, cuts: [], sound: 0 });
    } catch (error) {
      throw new Error(JSON.stringify(bytes.toString('latin1')).slice(0, 4_000), { cause: error });
    }
  }
  oracle.close();
  context.diagnostic(`${cases} cases, ${compared} requests understood alike`);
});

test(`our front and Node's parser agree on what ours accepts (FUZZ_SEED=${seed})`, async (context) => {
  const oracle = new Oracle();
  const until = performance.now() + seconds * 1_000;
  let cases = 0;
  let compared = 0;
  for (; cases < LEAST_CASES || performance.now() < until; cases++) {
    const tried = caseFrom(randomFrom(seed + cases * 7919));
    try {
      compared += await compare(oracle, tried);
      if (cases % 3 === 0) await cutOtherwise(tried);
    } catch (error) {
      const sent = cutAt(tried.bytes, tried.cuts).map((piece) => piece.toString('latin1'));
      throw new Error(`FUZZ_SEED=${seed}, case ${cases}: ${JSON.stringify(sent).slice(0, 4_000)}`, { cause: error });
    }
  }
  oracle.close();
  context.diagnostic(`${cases} cases, ${compared} requests understood alike`);
  assert.ok(compared > cases / 2, 'enough of the cases reach both handlers');
});
