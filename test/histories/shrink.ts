import { check } from './checker.ts';
import type { Model, Operation } from './history.ts';

const CHECK_MILLIS = 300;

/**
 * What is needed of a history that broke its promise to see that it did. Only knowledge is given up, never an operation:
 * answers are forgotten, as if none had come, one by one where the history is still impossible without them; calls
 * behind the impossible answer, and reads that nobody answered, can be left out.
 * @param millis spends about so much time at most
 */
export function shrink<S, I>(
  model: Model<S, I>,
  operations: readonly Operation<I>[],
  culprit: Operation<I>,
  millis: number,
): readonly Operation<I>[] {
  const end = culprit.outcome?.at ?? 0;
  const forget = (one: Operation<I>): Operation<I> => ({ ...one, outcome: undefined });
  const useful = (all: readonly Operation<I>[]) =>
    all.filter(({ outcome, input }) => outcome !== undefined || !model.reads(input, undefined));
  let kept = useful(operations.filter(({ called }) => called < end));
  const limit = performance.now() + millis;
  const impossible = (all: readonly Operation<I>[]): boolean =>
    check(model, all, { until: Math.min(limit, performance.now() + CHECK_MILLIS), most: 20_000 }).kind === 'violation';
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length && performance.now() < limit; ) {
      const within = (i: number): boolean => i >= from && i < from + size;
      const fewer = useful(kept.map((one, i) => (within(i) && one.called !== culprit.called ? forget(one) : one)));
      const gained = fewer.filter(({ outcome }) => outcome).length < kept.filter(({ outcome }) => outcome).length;
      if (gained && impossible(fewer)) {
        from += size - (kept.length - fewer.length);
        kept = fewer;
      } else from += size;
    }
  }
  return kept;
}
