import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noContent } from '../framework/answer.ts';
import type { WriteContext } from '../framework/context.ts';
import { type Endpoint, read, write } from '../framework/endpoint.ts';
import { badRequest, notFound } from '../framework/errors.ts';
import { int, string } from '../framework/kinds/index.ts';
import { ProbeServer } from './testing.ts';

const SLOW = 'path "probe/slow/*" { capabilities = ["update"] }';

/** A server with an endpoint whose slow work is counted, and what happens while that work is under way. */
class Slow {
  /** Times that the slow work was done. */
  runs = 0;
  /** Called while it is under way, with the number of the run. */
  meanwhile: (run: number) => Promise<unknown> = async () => {};
  readonly #server: Promise<ProbeServer>;

  constructor() {
    const name = string();
    const endpoints: readonly Endpoint<WriteContext>[] = [
      write(
        'slow/:name',
        {
          summary: 'Do slow work',
          params: { name, size: int(1) },
          prepare: async ({ size }, { store }) => {
            this.runs += 1;
            const [config, absent] = await store.getMany(['config', 'absent']);
            await this.meanwhile(this.runs);
            if (size === 13) throw badRequest('size: must not be 13');
            return `${config ?? '-'}${absent ?? '-'}${size}`;
          },
        },
        ({ name }, { store, prepared }) => {
          store.put(name, Buffer.from(prepared));
          return noContent;
        },
      ),
      write(':name', { summary: 'Write', params: { name, value: string() } }, (values, { store }) => {
        if (values.value === '') store.delete(values.name);
        else store.put(values.name, Buffer.from(values.value));
        return noContent;
      }),
      read(':name', { summary: 'Read', params: { name } }, async (values, { store }) => {
        const found = await store.get(values.name);
        if (found === undefined) throw notFound();
        return { data: { value: found.toString() } };
      }),
    ];
    this.#server = ProbeServer.open(endpoints);
  }

  get server(): Promise<ProbeServer> {
    return this.#server;
  }

  async set(name: string, value: string): Promise<void> {
    assert.equal(await (await this.server).status('POST', `probe/${name}`, { body: { value } }), 204);
  }

  /** The stored value; undefined where there is none. */
  async value(name: string): Promise<unknown> {
    const { json } = await (await this.server).ask('GET', `probe/${name}`);
    return /"value":"([^"]*)"/.exec(JSON.stringify(json))?.[1];
  }
}

describe('slow work', () => {
  test('is done once for a request that is permitted, and gives the handler its result', async () => {
    const slow = new Slow();
    await slow.set('config', 'c');
    const token = await (await slow.server).tokenWith(SLOW);
    assert.equal(await (await slow.server).status('POST', 'probe/slow/a', { token, body: { size: '7' } }), 204);
    assert.equal(slow.runs, 1);
    assert.equal(await slow.value('a'), 'c-7');
  });

  test('is not done for a request that is refused', async () => {
    const slow = new Slow();
    const server = await slow.server;
    const token = await server.tokenWith(SLOW);
    const other = await server.tokenWith('path "probe/slow/b" { capabilities = ["update"] }');
    for (const [what, status, asked] of [
      ['no token', 403, { token: undefined }],
      ['a token that is none', 403, { token: 'nobody' }],
      ['a token that may not', 403, { token: other }],
      ['a bad parameter', 400, { token, body: { size: 'big' } }],
      ['a bad body', 400, { token, body: [1] }],
      ['a bad wrapping time', 400, { token, headers: [['x-service-wrap-ttl', '-1']] }],
      ['a foreign namespace', 404, { token, headers: [['x-service-namespace', 'ns']] }],
    ] as const) {
      assert.equal(await server.status('POST', 'probe/slow/a', asked), status, what);
    }
    assert.equal(slow.runs, 0);
  });

  test('is done again where what it read has changed', async () => {
    const slow = new Slow();
    await slow.set('config', 'old');
    slow.meanwhile = async (run) => {
      if (run === 1) await slow.set('config', 'new');
    };
    assert.equal(await (await slow.server).status('POST', 'probe/slow/a'), 204);
    assert.equal(slow.runs, 2);
    assert.equal(await slow.value('a'), 'new-1');
  });

  for (const [what, before, after, expected] of [
    ['came', '', 'x', '-x1'],
    ['went', 'x', '', '--1'],
  ] as const) {
    test(`is done again where what it looked for ${what}`, async () => {
      const slow = new Slow();
      await slow.set('absent', before);
      slow.meanwhile = async (run) => {
        if (run === 1) await slow.set('absent', after);
      };
      assert.equal(await (await slow.server).status('POST', 'probe/slow/a'), 204);
      assert.equal(slow.runs, 2);
      assert.equal(await slow.value('a'), expected);
    });
  }

  test('is done again where the mount was made anew, although nothing of what it looked for is there', async () => {
    const slow = new Slow();
    const server = await slow.server;
    slow.meanwhile = async (run) => {
      if (run > 1) return;
      assert.equal(await server.status('DELETE', 'sys/mounts/probe'), 204);
      assert.equal(await server.status('POST', 'sys/mounts/probe', { body: { type: 'probe' } }), 204);
    };
    assert.equal(await server.status('POST', 'probe/slow/a', { body: {} }), 204);
    assert.equal(slow.runs, 2);
    assert.equal(await slow.value('a'), '--1');
  });

  test('is not done again for what it did not read', async () => {
    const slow = new Slow();
    slow.meanwhile = () => slow.set('other', 'x');
    assert.equal(await (await slow.server).status('POST', 'probe/slow/a'), 204);
    assert.equal(slow.runs, 1);
  });

  test('is given up after a number of times, with 503 and nothing written', async () => {
    const slow = new Slow();
    slow.meanwhile = (run) => slow.set('config', String(run));
    const { status, headers } = await (await slow.server).ask('POST', 'probe/slow/a');
    assert.equal(status, 503);
    assert.deepEqual(
      headers?.map(([name]) => name),
      ['Retry-After'],
    );
    assert.ok(slow.runs > 2 && slow.runs <= 10, String(slow.runs));
    assert.equal(await slow.value('a'), undefined);
  });

  for (const [what, status, change] of [
    ['the policy', 403, (server: ProbeServer) => server.ask('DELETE', 'sys/policies/acl/p-0')],
    [
      'the token',
      403,
      (server: ProbeServer, token: string) => server.ask('POST', 'auth/token/revoke', { body: { token } }),
    ],
    ['the mount', 404, (server: ProbeServer) => server.ask('DELETE', 'sys/mounts/probe')],
  ] as const) {
    test(`${what} that ends meanwhile ends the request`, async () => {
      const slow = new Slow();
      const server = await slow.server;
      const token = await server.tokenWith(SLOW);
      slow.meanwhile = () => change(server, token);
      assert.equal(await server.status('POST', 'probe/slow/a', { token }), status);
      assert.equal(slow.runs, 1);
      assert.equal(await slow.value('a'), undefined);
    });
  }
});

describe('a counted use', () => {
  test('is spent once, however often slow work is done', async () => {
    const slow = new Slow();
    const server = await slow.server;
    const token = await server.tokenWith(SLOW, 3);
    slow.meanwhile = async (run) => {
      if (run < 3) await slow.set('config', String(run));
    };
    assert.equal(await server.status('POST', 'probe/slow/a', { token }), 204);
    assert.equal(slow.runs, 3);
    assert.equal(await server.usesOf(token), 2);
  });

  test('is good for one of many requests at once', async () => {
    const slow = new Slow();
    const server = await slow.server;
    const token = await server.tokenWith(SLOW, 1);
    const names = ['a', 'b', 'c', 'd'];
    const statuses = await Promise.all(names.map((name) => server.status('POST', `probe/slow/${name}`, { token })));
    assert.deepEqual(statuses.sort(), [204, 403, 403, 403]);
    const written = await Promise.all(names.map((name) => slow.value(name)));
    assert.equal(written.filter((value) => value !== undefined).length, 1);
  });

  for (const [what, status, path, body] of [
    ['that no policy permits', 403, 'probe/slow', {}],
    ['that is not permitted before slow work', 403, 'probe/slow/a', {}],
    ['with a bad parameter', 400, 'probe/slow/b', { size: 'big' }],
    ['whose slow work refuses it', 400, 'probe/slow/b', { size: 13 }],
  ] as const) {
    test(`is spent by a request ${what}`, async () => {
      const slow = new Slow();
      const server = await slow.server;
      const token = await server.tokenWith('path "probe/slow/b" { capabilities = ["update"] }', 3);
      assert.equal(await server.status('POST', path, { token, body }), status);
      assert.equal(await server.usesOf(token), 2);
    });
  }
});
