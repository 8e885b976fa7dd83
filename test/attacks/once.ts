import assert from 'node:assert/strict';
import { at, type Client } from './support.ts';

const AT_ONCE = 64;
const WRAP = { 'X-Service-Wrap-TTL': '5m' };
const INVALID = 'wrapping token is not valid or does not exist';

/**
 * Asks for one wrapped answer 64 times at once over all these clients of one store, in each way there is: exactly one gets
 * it, and all others are told that the token is not valid (known-attacks B13).
 * @param token one that may wrap, unwrap and rewrap
 */
export async function unwrapAtOnce(clients: readonly Client[], token: string): Promise<void> {
  for (const ways of [['body'], ['self'], ['body', 'self'], ['body', 'self', 'rewrap']] as const) {
    const wrapping = await wrap(clients, token);
    const asked = Array.from({ length: AT_ONCE }, async (_, i) => {
      const client = clients[i % clients.length] ?? assert.fail('there is a client');
      const way = ways[Math.floor(i / clients.length) % ways.length] ?? 'body';
      const path = way === 'rewrap' ? 'sys/wrapping/rewrap' : 'sys/wrapping/unwrap';
      const sent = way === 'self' ? { token: wrapping, body: {} } : { token, body: { token: wrapping } };
      return client.send('POST', path, sent);
    });
    const answers = await Promise.all(asked);
    const [won, ...more] = answers.filter(({ status }) => status === 200);
    assert.ok(won !== undefined && more.length === 0, `${more.length + 1} of ${AT_ONCE} got it: ${ways}`);
    for (const { status, json } of answers.filter((answer) => answer !== won)) {
      assert.deepEqual([status, at(json, 'errors')], [400, [INVALID]]);
    }
    const rewrapped = at(won.json, 'wrap_info', 'token');
    if (typeof rewrapped === 'string') {
      const sent = { token, body: { token: rewrapped } };
      const last = await clients[0]?.expect(200, 'POST', 'sys/wrapping/unwrap', sent);
      assert.equal(at(last?.json, 'data', 'canary'), 'yes');
    } else assert.equal(at(won.json, 'data', 'canary'), 'yes');
  }
}

async function wrap([client]: readonly Client[], token: string): Promise<string> {
  const sent = { token, headers: WRAP, body: { canary: 'yes' } };
  return String(at((await client?.expect(200, 'POST', 'sys/wrapping/wrap', sent))?.json, 'wrap_info', 'token'));
}
