import assert from 'node:assert/strict';
import { at } from '../faults/client.ts';
import { type Node, until } from './node.ts';
import { assertAway } from './shared.ts';

/** A client that writes 1, 2, 3… to a secret of its own, and knows what of it must be there. */
export class Counter {
  readonly #path: string;
  #done = 0;
  #tried = 0;
  #answers = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** How many writes were answered, as done or not. */
  get answered(): number {
    return this.#answers;
  }

  /** Writes until told to end, each number as the version it makes. */
  async run(node: Node, ended: () => boolean): Promise<void> {
    let unconfirmed = false;
    while (!ended()) {
      this.#tried = this.#done + 1;
      const body = { data: { value: this.#tried }, options: { cas: this.#done } };
      const reply = await node.send('POST', `secret/data/${this.#path}`, body);
      this.#answers += 1;
      // What was not confirmed, nor found afterwards, was made late: before the next write of this node, which then lost.
      if (reply.status === 200 || (unconfirmed && /check-and-set/.test(reply.text))) this.#done = this.#tried;
      else assertAway(reply, /./);
      unconfirmed = reply.status === 503;
      if (unconfirmed) await until('the node answers again', () => this.#look(node));
    }
  }

  /** Finds out whether the last write was made; false where the node does not answer. */
  async #look(node: Node): Promise<boolean> {
    const { status, text, json } = await node.send('GET', `secret/data/${this.#path}`);
    if (status === 503) return false;
    const found = status === 404 ? 0 : Number(at(json, 'data', 'data', 'value'));
    assert.ok(found === this.#done || found === this.#tried, `${this.#done}, ${this.#tried}: ${text}`);
    this.#done = found;
    return true;
  }

  /** Each version holds the number that was written as that version, and none that was answered is missing. */
  async check(node: Node): Promise<void> {
    const last = await node.expect(200, 'GET', `secret/data/${this.#path}`);
    const version = Number(at(last, 'data', 'metadata', 'version'));
    assert.ok(version === this.#done || version === this.#tried, `${version}: ${this.#done}, ${this.#tried}`);
    for (const number of [Math.max(1, version - 5), version]) {
      const one = await node.expect(200, 'GET', `secret/data/${this.#path}?version=${number}`);
      assert.equal(at(one, 'data', 'data', 'value'), number);
    }
  }
}
