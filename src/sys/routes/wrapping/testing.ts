import assert from 'node:assert/strict';
import type { MemoryOptions } from '../../../storage/memory.ts';
import { type Answered, at, type CallOptions, TestServer } from '../../testing.ts';

/** What a token that wraps nothing is refused with. */
export const INVALID = /^wrapping token is not valid or does not exist$/;
/** Asks for a wrapped answer. */
export const MINUTE = { headers: { 'x-service-wrap-ttl': '60' } } as const;

/** An open server whose clock stands still, with `box/` mounted and a text at `box/a`. */
export async function open(options: MemoryOptions = {}) {
  let now = Date.parse('2026-01-02T03:04:05.678Z');
  const server = await TestServer.open({ clock: () => now, ...options });
  await server.call('POST', 'sys/mounts/box', { body: { type: 'box' } });
  await server.call('POST', 'box/a', { body: { value: 'secret' } });
  const info = (answered: Answered): Record<string, unknown> => Object(at(answered.json, 'wrap_info'));
  return {
    server,
    call: server.call.bind(server),
    pass: (millis: number): void => {
      now += millis;
    },
    info,
    /** The wrapping token of an answer. */
    wrapped: async (method: string, path: string, sent: CallOptions = {}): Promise<string> => {
      const answered = await server.call(method, path, { ...sent, headers: { ...MINUTE.headers, ...sent.headers } });
      assert.equal(answered.status, 200, answered.text);
      return String(info(answered)['token']);
    },
    unwrap: (token: string, as: CallOptions = {}) =>
      server.call('POST', 'sys/wrapping/unwrap', { body: { token }, ...as }),
    /** Keys of records without those that are there anyway. */
    records: (): readonly string[] =>
      [...server.store.contents().keys()].filter((key) => /^(token|accessor|wrapped|due)\//.test(key)).sort(),
  };
}

/** The first sentence of a refusal. */
export const sentence = ({ json }: Answered): string => String(at(json, 'errors', '0'));
