import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { at } from '../faults/client.ts';
import { Cluster } from './cluster.ts';
import { type Node, until } from './node.ts';
import { startProxy } from './proxy.ts';
import { assertAway, read, type Shared, write } from './shared.ts';

const STATEMENT_MILLIS = 800;
const SETTINGS = { KEYHOLD_POSTGRES_STATEMENT_MILLIS: String(STATEMENT_MILLIS) };
const UNCONFIRMED = /did not confirm the write, which may have been made: look, then try again/;

/** A client that writes 1, 2, 3… to a secret of its own, and knows what of it must be there. */
class Counter {
  readonly #path: string;
  #answered = 0;
  #tried = 0;
  answers = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Writes until told to end, each number as the version it makes. */
  async run(node: Node, ended: () => boolean): Promise<void> {
    while (!ended()) {
      this.#tried = this.#answered + 1;
      const body = { data: { value: this.#tried }, options: { cas: this.#answered } };
      const reply = await node.send('POST', `secret/data/${this.#path}`, body);
      this.answers += 1;
      if (reply.status === 200) this.#answered = this.#tried;
      else {
        assertAway(reply, /./);
        await until('the node answers again', async () => {
          const now = await node.send('GET', `secret/data/${this.#path}`);
          if (now.status === 503) return false;
          const found = now.status === 404 ? 0 : Number(at(now.json, 'data', 'data', 'value'));
          assert.ok(found === this.#answered || found === this.#tried, `${found} of ${this.#tried}`);
          // What was not confirmed may still be made, before the next write of this node: whose cas then tells.
          this.#answered = found;
          return true;
        });
      }
    }
  }

  /** Each version holds the number that was written as that version, and none that was answered is missing. */
  async check(node: Node): Promise<void> {
    const last = await node.expect(200, 'GET', `secret/data/${this.#path}`);
    const version = Number(at(last, 'data', 'metadata', 'version'));
    assert.ok(version === this.#answered || version === this.#tried, `${version}: ${this.#answered}, ${this.#tried}`);
    for (const number of [version - 5, version]) {
      const one = await node.expect(200, 'GET', `secret/data/${this.#path}?version=${number}`);
      assert.equal(at(one, 'data', 'data', 'value'), number);
    }
  }
}

export function paused(shared: () => Shared): void {
  test('a node that is stopped in the middle of writes holds nobody up, and works again', async (t) => {
    const { cluster } = shared();
    const node = await cluster.join({ settings: SETTINGS });
    const counters = Array.from({ length: 8 }, (_, i) => new Counter(`paused-${i}`));
    let ended = false;
    const work = Promise.all(counters.map((counter) => counter.run(node, () => ended)));
    const answers = (): number => counters.reduce((sum, counter) => sum + counter.answers, 0);
    let slowest = 0;
    for (let round = 1; round <= 2; round++) {
      const before = answers();
      await until('the node writes', () => answers() >= before + 30);
      node.signal('SIGSTOP');
      const stopped = performance.now();
      // They end while it is stopped, or never: it is woken only then.
      for (let i = 0; i < 10; i++) {
        for (const other of cluster.nodes) {
          const { status, text, millis } = await other.send('POST', 'secret/data/paused-beside', {
            data: { value: i },
          });
          assert.equal(status, 200, text);
          slowest = Math.max(slowest, millis);
        }
      }
      await pause(Math.max(0, STATEMENT_MILLIS + 200 - (performance.now() - stopped)));
      node.signal('SIGCONT');
      const woken = answers();
      await until('the node works again', () => answers() >= woken + 30);
    }
    ended = true;
    await work;
    for (const counter of counters) await counter.check(cluster.node(0));
    await node.end();
    t.diagnostic(`slowest write of the others: ${slowest.toFixed()} ms`);
  });

  test('a commit that arrives after its client was told 503 is whole, or loses to what came before it', async () => {
    const { database } = shared();
    const proxy = await startProxy(database.url);
    // A store of its own, where nothing else changes what the late commit has read.
    const cluster = await Cluster.start(1, { database: database.url, schema: 'late' });
    try {
      const [other, node] = [cluster.node(0), await cluster.join({ database: proxy.url, settings: SETTINGS })];
      for (const overtaken of [false, true]) {
        const path = `late-${overtaken}`;
        assert.equal(await write(other, path, 'first'), 1);
        const caught = proxy.holdAt('commit_1');
        const reply = node.send('POST', `secret/data/${path}`, { data: { value: 'late' } });
        await caught;
        assertAway(await reply, UNCONFIRMED);
        assert.equal(await read(other, path), 'first');
        if (overtaken) assert.equal(await write(other, path, 'before it'), 2);
        proxy.flow();
        if (!overtaken) await until('the late commit is made', async () => (await read(other, path)) === 'late');
        assert.equal(await write(node, path, 'next'), 3);
        const second = await node.expect(200, 'GET', `secret/data/${path}?version=2`);
        assert.equal(at(second, 'data', 'data', 'value'), overtaken ? 'before it' : 'late');
      }
    } finally {
      proxy.stop();
      await cluster.stop();
    }
  });
}
