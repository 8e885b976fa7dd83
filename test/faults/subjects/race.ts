import { at, type Client } from '../client.ts';
import type { Random } from '../random.ts';
import { type Findings, Violation, type Witness } from '../witness.ts';

const KEPT = 60;

/**
 * One secret for which several clients race with `cas`: each version has one winner, and holds what the winner sent.
 */
export class CasRace implements Witness {
  readonly #path: string;
  #current = 0;
  #configured = false;
  #sent = 0;
  /** Mark of the winner by version. */
  readonly #winners = new Map<number, string>();
  /** Marks under way or of unknown outcome, each with the version that it would be. */
  readonly #unknown = new Map<string, number>();

  constructor(path: string) {
    this.#path = path;
  }

  async step(client: Client, _: Random): Promise<boolean> {
    if (!this.#configured) {
      const body = { max_versions: KEPT };
      const { status } = await client.send({ method: 'POST', path: `secret/metadata/${this.#path}`, body });
      this.#configured = status === 204;
      return status === 204;
    }
    const mark = `mark ${this.#sent++}`;
    const cas = this.#current;
    this.#unknown.set(mark, cas + 1);
    const body = { data: { mark }, options: { cas } };
    const { status, json } = await client.send({ method: 'POST', path: `secret/data/${this.#path}`, body });
    this.#unknown.delete(mark);
    if (status === 200) this.#won(mark, Number(at(json, 'data', 'version')), cas);
    else if (status !== 400 && status !== 503) throw new Violation(`race ${this.#path}: answered with ${status}`);
    return status !== 503;
  }

  #won(mark: string, version: number, cas: number): void {
    const other = this.#winners.get(version);
    if (other !== undefined || version !== cas + 1)
      throw new Violation(`race ${this.#path}: version ${version} won by "${mark}" with cas ${cas} and by "${other}"`);
    this.#winners.set(version, mark);
    this.#current = Math.max(this.#current, version);
  }

  async check(client: Client): Promise<Findings> {
    if (!this.#configured) return { found: 0, absent: 0 };
    const metadata = await client.send({ method: 'GET', path: `secret/metadata/${this.#path}` });
    const current = Number(at(metadata.json, 'data', 'current_version'));
    const listed = Object.keys(Object(at(metadata.json, 'data', 'versions'))).length;
    if (listed !== Math.min(current, KEPT)) throw new Violation(`race ${this.#path}: ${listed} versions of ${current}`);
    if (current < this.#current) throw new Violation(`race ${this.#path}: ${current} is behind ${this.#current}`);
    let found = 0;
    for (let version = Math.max(1, current - KEPT + 1); version <= current; version++) {
      const read = await client.send({ method: 'GET', path: `secret/data/${this.#path}?version=${version}` });
      const mark = String(at(read.json, 'data', 'data', 'mark'));
      const winner = this.#winners.get(version);
      if (winner === mark) continue;
      if (winner !== undefined || this.#unknown.get(mark) !== version)
        throw new Violation(`race ${this.#path}: version ${version} holds "${mark}" instead of "${winner}"`);
      this.#winners.set(version, mark);
      this.#unknown.delete(mark);
      found++;
    }
    const absent = this.#unknown.size;
    this.#unknown.clear();
    this.#current = current;
    return { found, absent };
  }
}
