import { type Call, HttpClient, type Reply } from '../../faults/client.ts';
import type { Result } from '../track.ts';

/** Who takes requests. */
export interface Asked {
  /** Rejects where no whole answer came. */
  send(call: Call): Promise<Reply>;
  /** What became of a request; `word` puts an answer into the words of the model. */
  ask(call: Call, word: (reply: Reply) => string): Promise<Result>;
}

/** Longer than a node is paused. */
const ANSWER_MILLIS = 6_000;

/** The clients of a server, whose address may change when it starts again. */
export class Asker implements Asked {
  #url: string | undefined;
  #client: HttpClient | undefined;

  /** Where the server is from now on; undefined where it is gone, and with it the connections. */
  turnTo(url: string | undefined): void {
    this.#client?.close();
    this.#url = url;
    this.#client = url === undefined ? undefined : new HttpClient(url);
  }

  /** Ends all connections, with what is under way on them. */
  cut(): void {
    this.turnTo(this.#url);
  }

  async send(call: Call): Promise<Reply> {
    if (this.#client === undefined) throw new NotThere();
    return this.#client.send(call);
  }

  async ask(call: Call, word: (reply: Reply) => string): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), ANSWER_MILLIS);
    });
    try {
      const reply = await Promise.race([this.send(call), late]);
      if (reply === undefined) return { kind: 'unknown' };
      return reply.status === 503 ? resultOf503(JSON.stringify(reply.json)) : { kind: 'answered', output: word(reply) };
    } catch (error) {
      return wasNeverSent(error) ? { kind: 'refused' } : { kind: 'unknown' };
    } finally {
      clearTimeout(timer);
    }
  }
}

class NotThere extends Error {}

const wasNeverSent = (error: unknown): boolean =>
  error instanceof NotThere || (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED');

/** A 503 promises that nothing was done, and nothing will be, save where it says otherwise. */
export function resultOf503(sentence: string): Result {
  if (sentence.includes('may have been made')) return { kind: 'unknown' };
  return sentence.includes('does not answer') ? { kind: 'unread' } : { kind: 'refused' };
}
