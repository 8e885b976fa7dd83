import { unavailable } from '../framework/errors.ts';

/** Whoever asks for the state, such as a load balancer, waits for seconds at most; a store that is away may take longer. */
const STATE_MILLIS = 2_000;

/** What the store tells of the state, or 503 where it keeps that waiting. */
export async function soon<T>(told: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('the store does not answer: try again', 1)), STATE_MILLIS);
  });
  try {
    return await Promise.race([told, late]);
  } finally {
    clearTimeout(timer);
  }
}
