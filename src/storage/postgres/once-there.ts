import { setTimeout as pause } from 'node:timers/promises';
import { isAbsent } from './faults.ts';

const FIRST_PAUSE_MILLIS = 50;
const LONGEST_PAUSE_MILLIS = 1_000;

/**
 * Does what needs the database, and does it again for `millis` where the database is only away. What is done leaves
 * nothing behind where it fails. `onWait` is told once why it has to wait.
 *
 * Errors: the last one.
 */
export async function onceThere<T>(
  run: () => Promise<T>,
  millis: number,
  onWait: (error: unknown) => void = () => {},
): Promise<T> {
  const end = performance.now() + millis;
  for (let [told, wait] = [false, FIRST_PAUSE_MILLIS]; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MILLIS)) {
    try {
      return await run();
    } catch (error) {
      if (!isAbsent(error) || performance.now() + wait > end) throw error;
      if (!told) onWait(error);
      told = true;
      await pause(wait);
    }
  }
}
