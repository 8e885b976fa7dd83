/**
 * Acts on things some at a time; where that fails, on each of these alone, so that one of them stands in no other's way.
 * @param failed told of each that failed alone; what it throws ends the work
 */
export async function apart<T>(
  things: readonly T[],
  size: number,
  act: (some: readonly T[]) => Promise<void>,
  failed: (thing: T, error: unknown) => void,
): Promise<void> {
  for (let i = 0; i < things.length; i += size) {
    const some = things.slice(i, i + size);
    try {
      await act(some);
    } catch {
      for (const one of some) await act([one]).catch((error: unknown) => failed(one, error));
    }
  }
}
