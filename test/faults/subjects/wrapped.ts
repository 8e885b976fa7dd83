import { isDeepStrictEqual } from 'node:util';
import { at, type Client } from '../client.ts';
import type { Random } from '../random.ts';
import { type Findings, Violation, type Witness } from '../witness.ts';

/** A wrapping token whose creation was answered. */
interface Wrapping {
  readonly token: string;
  readonly number: number;
  /** Unwrapping under way, or of unknown outcome. */
  asked: number;
  taken: boolean;
}

/**
 * Answers of writes that are wrapped, for each of which several clients race: what was answered as wrapped is there until one
 * of them has it, and no second one ever has, over all lives of the server. The write itself was made.
 */
export class WrappedOnce implements Witness {
  readonly #path: string;
  #current: Wrapping | undefined;
  #making: Promise<boolean> | undefined;
  #last: Wrapping | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async step(client: Client, random: Random): Promise<boolean> {
    const wrapping = this.#current;
    if (wrapping === undefined) {
      this.#making ??= this.#make(client).finally(() => {
        this.#making = undefined;
      });
      return this.#making;
    }
    wrapping.asked++;
    const { token } = wrapping;
    const by = random.pick([{ token, body: {} }, { body: { token } }]);
    const { status, json } = await client.send({ method: 'POST', path: 'sys/wrapping/unwrap', ...by });
    wrapping.asked--;
    if (status === 503) return false;
    if (status === 200) this.#took(wrapping, at(json, 'data'));
    else if (status !== 400) throw new Violation(`${this.#path}: unwrapped with ${status}`);
    // The winner may be one whose answer was lost.
    else if (!wrapping.taken && wrapping.asked === 0) throw new Violation(`${this.#path}: refused to all who asked`);
    if (this.#current === wrapping && wrapping.asked === 0) this.#end(wrapping);
    return true;
  }

  #took(wrapping: Wrapping, data: unknown): void {
    if (wrapping.taken) throw new Violation(`${this.#path}: unwrapped twice`, { wrapping });
    wrapping.taken = true;
    if (!isDeepStrictEqual(at(data, 'version'), wrapping.number))
      throw new Violation(`${this.#path}: another answer`, { data });
  }

  #end(wrapping: Wrapping): void {
    this.#last = wrapping;
    this.#current = undefined;
  }

  /** The first number is told by the store, as earlier writes may have been carried out without an answer. */
  async #make(client: Client): Promise<boolean> {
    const call = { method: 'POST', path: `secret/data/${this.#path}`, body: { data: { n: 1 } }, wrapTtl: '1h' };
    const { status, json } = await client.send(call);
    if (status !== 200 && status !== 503) throw new Violation(`${this.#path}: wrapped with ${status}`);
    if (status !== 200) return false;
    const found = await client.send({ method: 'GET', path: `secret/metadata/${this.#path}` });
    const number = Number(at(found.json, 'data', 'current_version'));
    this.#current = { token: String(at(json, 'wrap_info', 'token')), number, asked: 0, taken: false };
    return true;
  }

  async check(client: Client): Promise<Findings> {
    const last = this.#last;
    if (last !== undefined && (await this.#lives(client, last)))
      throw new Violation(`${this.#path}: what was used is back`);
    const wrapping = this.#current;
    if (wrapping === undefined) return { found: 0, absent: 0 };
    const lives = await this.#lives(client, wrapping);
    if (lives && wrapping.taken) throw new Violation(`${this.#path}: what was unwrapped is there again`);
    if (!lives && !wrapping.taken && wrapping.asked === 0)
      throw new Violation(`${this.#path}: a wrapped answer is lost`);
    const found = lives || wrapping.taken ? 0 : 1;
    const absent = wrapping.asked - found;
    wrapping.asked = 0;
    if (!lives) this.#end(wrapping);
    return { found, absent };
  }

  async #lives(client: Client, { token }: Wrapping): Promise<boolean> {
    return (await client.send({ method: 'POST', path: 'sys/wrapping/lookup', body: { token } })).status === 200;
  }
}
