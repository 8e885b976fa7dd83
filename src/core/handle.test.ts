import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { noContent } from '../framework/answer.ts';
import type { WriteContext } from '../framework/context.ts';
import { read, write } from '../framework/endpoint.ts';
import { badRequest, notFound } from '../framework/errors.ts';
import { string } from '../framework/kinds/index.ts';
import { member, ProbeServer } from './testing.ts';

/** Writes, spends an attempt, and then refuses or breaks. */
async function attempt({ how }: { readonly how: string }, { store }: WriteContext): Promise<typeof noContent> {
  const before = Number((await store.get('attempts')) ?? 0);
  store.put('written', Buffer.from('x'));
  store.spend.put('attempts', Buffer.from(String(before + 1)));
  if (how === 'refuse') throw badRequest('how: is refused');
  if (how === 'break') throw new Error('a s3cret of ours');
  if (how === 'reject') return Promise.reject(new TypeError('a s3cret of ours'));
  return noContent;
}

const endpoints = [
  write('attempt', { summary: 'Try', params: { how: string() } }, attempt),
  read(':name', { summary: 'Read', params: { name: string() } }, async ({ name }, { store }) => {
    const found = await store.get(name);
    if (found === undefined) throw notFound();
    return { data: { value: found.toString() } };
  }),
];

let server: ProbeServer;
beforeEach(async () => {
  server = await ProbeServer.open(endpoints);
});

const stored = async (name: string): Promise<unknown> =>
  member((await server.ask('GET', `probe/${name}`)).json, 'data', 'value');

describe('a request commits as one', () => {
  for (const [how, status, written] of [
    ['go on', 204, 'x'],
    ['refuse', 400, undefined],
    ['break', 500, undefined],
    ['reject', 500, undefined],
  ] as const) {
    test(`${how}: ${status}, the write ${written === undefined ? 'dropped' : 'kept'}, what was spent kept`, async () => {
      assert.equal(await server.status('POST', 'probe/attempt', { body: { how } }), status);
      assert.equal(await stored('written'), written);
      assert.equal(await stored('attempts'), '1');
    });
  }

  test('attempts at once are all counted', async () => {
    const refuse = (): Promise<number> => server.status('POST', 'probe/attempt', { body: { how: 'refuse' } });
    const statuses = await Promise.all(Array.from({ length: 12 }, refuse));
    assert.deepEqual(new Set(statuses), new Set([400]));
    assert.equal(await stored('attempts'), '12');
  });

  test('a fault of ours tells the caller nothing but the id that the log has', async () => {
    const { json } = await server.ask('POST', 'probe/attempt', { body: { how: 'break' } });
    const [sentence] = Array.from(Object(member(json, 'errors')), String);
    assert.match(sentence ?? '', /^internal error: see the log for request [0-9a-f-]{36}$/);
    assert.doesNotMatch(JSON.stringify(json), /s3cret/);
    assert.deepEqual(server.logged, ['a request failed: Error: a s3cret of ours']);
  });

  test('a refusal is no fault: it is not logged', async () => {
    await server.ask('POST', 'probe/attempt', { body: { how: 'refuse' } });
    assert.deepEqual(server.logged, []);
  });
});

describe('a counted use is spent by every request', () => {
  const POLICY = 'path "probe/attempt" { capabilities = ["update"] }';
  for (const [what, status, method, path, body, headers] of [
    ['that succeeds', 204, 'POST', 'probe/attempt', { how: 'go on' }, []],
    ['that its handler refuses', 400, 'POST', 'probe/attempt', { how: 'refuse' }, []],
    ['that breaks', 500, 'POST', 'probe/attempt', { how: 'break' }, []],
    ['with a parameter that is missing', 400, 'POST', 'probe/attempt', {}, []],
    ['with a body that is none', 400, 'POST', 'probe/attempt', 'x', []],
    ['that no policy permits', 403, 'GET', 'probe/written', undefined, []],
    ['that leads nowhere', 403, 'POST', 'nowhere', undefined, []],
    ['of another method', 403, 'DELETE', 'probe/attempt', undefined, []],
    ['to another namespace', 404, 'POST', 'probe/attempt', { how: 'go on' }, [['x-service-namespace', 'a']]],
  ] as const) {
    test(`${what}: ${status}`, async () => {
      const token = await server.tokenWith(POLICY, 2);
      assert.equal(await server.status(method, path, { token, body, headers }), status);
      assert.equal(await server.usesOf(token), 1);
      assert.equal(await server.status(method, path, { token, body, headers }), status, 'the last use is one');
      assert.equal(await server.usesOf(token), undefined);
      assert.equal(await server.status('POST', 'probe/attempt', { token, body: { how: 'go on' } }), 403);
    });
  }

  test('five uses are five of 32 requests at once', async () => {
    const token = await server.tokenWith(POLICY, 5);
    const go = (): Promise<number> => server.status('POST', 'probe/attempt', { token, body: { how: 'go on' } });
    const statuses = await Promise.all(Array.from({ length: 32 }, go));
    assert.equal(statuses.filter((status) => status === 204).length, 5);
    assert.equal(statuses.filter((status) => status === 403).length, 27);
    assert.equal(await stored('attempts'), '5');
  });
});
