import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../faults/client.ts';
import type { Node } from './node.ts';
import { type Shared, tokenWith, write } from './shared.ts';

const HOUR_MILLIS = 3_600_000;
/** The database's clock is this machine's, read up to a millisecond apart, and told in whole ones. */
const SLACK_MILLIS = 5;

/** Nodes whose own clocks are wrong; all times are the store's. */
export function clock(shared: () => Shared): void {
  const wrong = (millis: number): Promise<Node> =>
    shared().cluster.join({
      preload: [new URL('preload/shift-clock.js', import.meta.url).href],
      settings: { CLOCK_SHIFT_MILLIS: String(millis) },
    });

  test('nodes that are wrong by an hour live by the clock of the database', async () => {
    const [ahead, behind] = await Promise.all([wrong(HOUR_MILLIS), wrong(-HOUR_MILLIS)]);
    for (const [node, shift] of [
      [ahead, HOUR_MILLIS],
      [behind, -HOUR_MILLIS],
    ] as const) {
      const told = Date.parse(String(at(node.log()[0], 'time')));
      assert.ok(Math.abs(told - Date.now() - shift) < HOUR_MILLIS / 2, 'its log shows that it is wrong');
    }
    const nodes = [ahead, shared().cluster.node(0), behind];
    await Promise.all([lifetimes(nodes), times(nodes), disappearing(nodes)]);
    await Promise.all([ahead.end(), behind.end()]);
  });

  /** A token made on any node lives equally long on all. */
  async function lifetimes(nodes: readonly Node[]): Promise<void> {
    const policy = 'path "auth/token/lookup-self" { capabilities = ["read"] }';
    for (const maker of nodes) {
      const token = await tokenWith(maker, 'short', policy, { ttl: '2s' });
      const ends = await Promise.all(nodes.map((node) => endOf(node, token)));
      assert.equal(new Set(ends).size, 1, `${ends}`);
      const end = ends[0] ?? 0;
      assert.ok(Math.abs(end - Date.now() - 2_000) < 60_000, 'it ends by the true time');
      await Promise.all(nodes.map((node) => livesUntil(end, async () => (await ask(node, token)).status === 200)));
    }
  }

  const ask = (node: Node, token: string) => node.send('GET', 'auth/token/lookup-self', undefined, token);
  async function endOf(node: Node, token: string): Promise<number> {
    const { json, text } = await ask(node, token);
    assert.ok(json !== undefined && at(json, 'data', 'expire_time') !== undefined, text);
    return Date.parse(String(at(json, 'data', 'expire_time')));
  }

  /** Alive in each answer that came before its end, dead in each to what was asked behind it. */
  async function livesUntil(end: number, alive: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const asked = Date.now();
      const so = await alive();
      if (Date.now() < end - SLACK_MILLIS) assert.equal(so, true, `${end - Date.now()} ms before its end`);
      if (asked > end + SLACK_MILLIS) {
        assert.equal(so, false, `${asked - end} ms behind its end`);
        return;
      }
    }
  }

  /** Times that are shown lie between call and answer, and never go back from one node to the next. */
  async function times(nodes: readonly Node[]): Promise<void> {
    let last = 0;
    for (let i = 0; i < 12; i++) {
      const node = nodes[i % nodes.length];
      assert.ok(node !== undefined);
      const before = Date.now();
      const made = await node.expect(200, 'POST', 'secret/data/times', { data: { i } });
      const time = Date.parse(String(at(made, 'data', 'created_time')));
      assert.ok(before - SLACK_MILLIS <= time && time <= Date.now() + SLACK_MILLIS, `${before} ${time}`);
      assert.ok(time >= last, `${last} ${time}`);
      last = time;
      const shown = Number(at(await node.expect(200, 'GET', 'sys/health'), 'server_time_utc')) * 1_000;
      assert.ok(before - 1_000 - SLACK_MILLIS <= shown && shown <= Date.now() + SLACK_MILLIS, `${before} ${shown}`);
    }
  }

  /** A version that deletes itself does so on all nodes at once. */
  async function disappearing(nodes: readonly Node[]): Promise<void> {
    for (const [i, node] of nodes.entries()) {
      const path = `passing-${i}`;
      await node.expect(204, 'POST', `secret/metadata/${path}`, { delete_version_after: '2s' });
      await write(node, path, i);
      const { json } = await node.send('GET', `secret/data/${path}`);
      const end = Date.parse(String(at(json, 'data', 'metadata', 'deletion_time')));
      assert.ok(Math.abs(end - Date.now() - 2_000) < 60_000, 'it ends by the true time');
      await Promise.all(
        nodes.map((other) =>
          livesUntil(end, async () => (await other.send('GET', `secret/data/${path}`)).status === 200),
        ),
      );
    }
  }
}
