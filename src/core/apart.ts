import { setImmediate as turn } from 'node:timers/promises';

/** How things are taken: so many by each act, and so many acts under way at a time. */
export interface Portions {
  readonly size: number;
  readonly atOnce?: number;
}

/**
 * Acts on things some at a time; where that fails, on each of these alone, so that one of them stands in no other's way.
 * Others get a turn of the event loop after each act has begun.
 * @param failed told of each that failed alone; what it throws ends the work
 */
export async function apart<T>(
  things: readonly T[],
  { size, atOnce = 1 }: Portions,
  act: (some: readonly T[]) => Promise<void>,
  failed: (thing: T, error: unknown) => void,
): Promise<void> {
  const actOn = async (some: readonly T[]): Promise<void> => {
    try {
      await act(some);
    } catch {
      for (const one of some) await act([one]).catch((error: unknown) => failed(one, error));
    }
  };
  for (let i = 0; i < things.length; ) {
    const under: Promise<void>[] = [];
    for (; i < things.length && under.length < atOnce; i += size) {
      const acting = actOn(things.slice(i, i + size));
      under.push(acting);
      // What ends the work is thrown below, where all are waited for.
      acting.catch(() => {});
      await turn();
    }
    await Promise.all(under);
  }
}
