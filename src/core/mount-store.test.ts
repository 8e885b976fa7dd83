import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { noContent } from '../framework/answer.ts';
import type { WriteContext } from '../framework/context.ts';
import { type Endpoint, read, write } from '../framework/endpoint.ts';
import { badRequest } from '../framework/errors.ts';
import { bool, optional, string, stringList } from '../framework/kinds/index.ts';
import { Jobs } from './jobs.ts';
import { member, ProbeServer } from './testing.ts';

/** Endpoints that write keys, purge, and tell which of some keys there are. */
const endpoints: readonly Endpoint<WriteContext>[] = [
  write('fill', { summary: 'Write', params: { keys: stringList() } }, ({ keys }, { store }) => {
    for (const key of keys) store.put(key, Buffer.from('text'));
    return noContent;
  }),
  write(
    'purge',
    { summary: 'Purge', params: { prefix: string(), before: optional(string()), refuse: bool(false) } },
    ({ prefix, before, refuse }, { store }) => {
      store.purge(prefix, before);
      if (refuse) throw badRequest('refuse: is true');
      return noContent;
    },
  ),
  read('left', { summary: 'Tell', params: { keys: stringList() } }, async ({ keys }, { store }) => {
    const records = await store.getMany(keys);
    return { data: { keys: keys.filter((_, i) => records[i] !== undefined) } };
  }),
];

const KEYS = ['d/w/9', 'd/x/1', 'd/x/2', 'd/x/2/a', 'd/x/3', 'd/x/3/a', 'd/x/\uffff', 'd/x/😀', 'd/x0', 'd/y/1'];

async function filled(): Promise<ProbeServer> {
  const server = await ProbeServer.open(endpoints);
  await server.ask('POST', 'sys/mounts/other', { body: { type: 'probe' } });
  for (const mount of ['probe', 'other']) {
    assert.equal(await server.status('POST', `${mount}/fill`, { body: { keys: KEYS } }), 204);
  }
  return server;
}

async function left(server: ProbeServer, mount = 'probe'): Promise<unknown> {
  return member(
    (await server.ask('GET', `${mount}/left?keys=${encodeURIComponent(KEYS.join())}`)).json,
    'data',
    'keys',
  );
}

/** What another life of the server does with the jobs that it finds. */
const settle = ({ service }: ProbeServer): Promise<void> => new Jobs(service).settle();

describe('purge', () => {
  const rows: readonly (readonly [before: string | undefined, left: (key: string) => boolean])[] = [
    [undefined, () => false],
    ['', () => true],
    ['1', () => true],
    ['2', (key) => key !== 'd/x/1'],
    ['2/', (key) => key !== 'd/x/1' && key !== 'd/x/2'],
    ['3', (key) => key > 'd/x/3' || key === 'd/x/3'],
    ['3/b', (key) => key > 'd/x/4'],
    // By bytes of UTF-8: where the order is that of UTF-16 units the second comes first.
    ['😀', (key) => key === 'd/x/😀'],
  ];
  for (const [before, stays] of rows) {
    test(`of the keys less than ${before}: nothing at first, then these and no others`, async () => {
      const server = await filled();
      assert.equal(await server.status('POST', 'probe/purge', { body: { prefix: 'd/x/', before } }), 204);
      assert.deepEqual(await left(server), KEYS);
      await settle(server);
      assert.deepEqual(
        await left(server),
        KEYS.filter((key) => !key.startsWith('d/x/') || stays(key)),
      );
      assert.deepEqual(await left(server, 'other'), KEYS);
      assert.deepEqual([await server.service.jobs.list(), server.logged], [[], []]);
    });
  }

  test('of a request that is refused is none', async () => {
    const server = await filled();
    assert.equal(await server.status('POST', 'probe/purge', { body: { prefix: 'd/x/', refuse: true } }), 400);
    assert.deepEqual(await server.service.jobs.list(), []);
  });

  for (const prefix of ['', '/', 'd', 'd/x/1']) {
    test(`of "${prefix}", which is no folder of the mount, is our bug`, async () => {
      const server = await filled();
      assert.equal(await server.status('POST', 'probe/purge', { body: { prefix } }), prefix === '/' ? 204 : 500);
      await settle(server);
      assert.deepEqual(await left(server), KEYS);
    });
  }

  test('wakes the runner: nobody waits for its next look', async () => {
    const server = await filled();
    const { jobs } = server.service;
    jobs.start();
    await jobs.settle();
    await server.ask('POST', 'probe/purge', { body: { prefix: 'd/x/' } });
    // The runner looks by itself every five seconds.
    for (let turns = 0; turns < 100 && (await jobs.list()).length > 0; turns++) await pause(10);
    assert.deepEqual(await jobs.list(), []);
    await jobs.stop();
  });
});
