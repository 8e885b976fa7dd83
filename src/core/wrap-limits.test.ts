import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RawJson } from '../framework/answer.ts';
import { list, read } from '../framework/endpoint.ts';
import { ServiceError } from '../framework/errors.ts';
import { string } from '../framework/kinds/index.ts';
import { readCall } from './call.ts';
import { handle } from './handle.ts';
import { member, ProbeServer, requestOf } from './testing.ts';
import { wrapSeconds } from './wrap.ts';

const LIST = 5_000;
const MINUTE = [['x-service-wrap-ttl', '60']] as const;

const server = await ProbeServer.open([
  list('names/:count', { summary: 'List names', params: { count: string() } }, ({ count, page }) => {
    const names = Array.from({ length: Number(count) }, (_, i) => String(i).padStart(5, '0'));
    const rest = names.filter((name) => name > page.after);
    return { keys: page.limit > 0 ? rest.slice(0, page.limit) : rest };
  }),
  read('long/:bytes', { summary: 'Read much', params: { bytes: string() } }, ({ bytes }) => ({
    data: new RawJson(`{"a":"${'x'.repeat(Number(bytes))}"}`),
  })),
  read('bare', { summary: 'Read without envelope', params: {}, shape: 'bare' }, () => ({ data: { bare: true } })),
  read('text', { summary: 'Read a text', params: {}, shape: 'text' }, () => ({ data: { text: 'täxt\n' } })),
  read('gone', { summary: 'Read what is gone', params: {} }, () => ({ status: 404, data: { metadata: 'known' } })),
]);

const wrapInfo = async (method: string, path: string): Promise<unknown> =>
  member((await server.ask(method, path, { headers: MINUTE })).json, 'wrap_info', 'token');

/** Status, content type and bytes of what a wrapping token gives back. */
async function unwrapped(token: unknown): Promise<readonly [number, string | undefined, string]> {
  const headers = [['x-service-token', String(token)]] as const;
  const { status, contentType, body } = await handle(
    server.service,
    requestOf('POST', '/v1/sys/wrapping/unwrap', headers),
  );
  return [status, contentType, Buffer.isBuffer(body) ? body.toString() : ''];
}

describe('what is wrapped', () => {
  test('a list of one piece, and no longer one', async () => {
    const [, , text] = await unwrapped(await wrapInfo('LIST', `probe/names/${LIST - 1}`));
    assert.equal(Array.from(Object(member(JSON.parse(text), 'data', 'keys'))).length, LIST - 1);
    const { status, json } = await server.ask('LIST', `probe/names/${LIST + 1}`, { headers: MINUTE });
    assert.equal(status, 400);
    assert.match(String(member(json, 'errors', '0')), /^X-Service-Wrap-TTL: a list of more than 5000 names/);
    assert.ok(await wrapInfo('LIST', `probe/names/${LIST + 1}?limit=${LIST}`), 'as the sentence says');
  });

  test('an answer of 34 MiB, and no longer one', async () => {
    const around = (await unwrapped(await wrapInfo('GET', 'probe/long/0')))[2].length;
    const most = 34 * 1024 * 1024 - around;
    assert.equal((await unwrapped(await wrapInfo('GET', `probe/long/${most}`)))[2].length, most + around);
    const { status, json } = await server.ask('GET', `probe/long/${most + 1}`, { headers: MINUTE });
    assert.equal(status, 400);
    assert.match(String(member(json, 'errors', '0')), /^X-Service-Wrap-TTL: an answer of more than 35651584 bytes/);
  });

  for (const [path, status, type, body] of [
    ['bare', 200, undefined, /^\{"bare":true\}\n$/],
    ['text', 200, 'text/plain; charset=utf-8', /^täxt\n$/],
    ['gone', 404, undefined, /^\{"request_id":"[^"]+",.*"data":\{"metadata":"known"\}/],
  ] as const) {
    test(`${path}: as it would have gone out, with its status and type`, async () => {
      const [foundStatus, foundType, text] = await unwrapped(await wrapInfo('GET', `probe/${path}`));
      assert.deepEqual([foundStatus, foundType], [status, type]);
      assert.match(text, body);
    });
  }
});

describe('what policies ask of wrapping', () => {
  const seconds = (bounds: object | undefined, header: string | undefined): number => {
    const constraints = bounds && { wrapping: { min: undefined, max: undefined, ...bounds } };
    const call = readCall(requestOf('GET', '/v1/a', header === undefined ? [] : [['x-service-wrap-ttl', header]]));
    return wrapSeconds(constraints, call, 3_600);
  };

  for (const [bounds, header, expected] of [
    [{ min: 10_000 }, undefined, 403],
    [{ min: 10_000 }, '0', 403],
    [{ min: 10_000 }, '9', 403],
    [{ min: 10_000 }, '9s1ms', 10],
    [{ min: 10_000 }, '10', 10],
    [{ min: 10_000 }, '1h', 3_600],
    [{ max: 20_000 }, undefined, 403],
    [{ max: 20_000 }, '20', 20],
    [{ max: 20_000 }, '20s1ns', 403],
    [{ min: 10_000, max: 20_000 }, '15', 15],
    [{ min: 10_000, max: 20_000 }, '21', 403],
    [{ max: 20_000 }, '2h', 400],
  ] as const) {
    test(`${JSON.stringify(bounds)} in milliseconds, ${header ?? 'no header'}: ${expected}`, () => {
      if (expected < 400 || expected > 499) assert.equal(seconds(bounds, header), expected);
      else
        assert.throws(
          () => seconds(bounds, header),
          (error) => error instanceof ServiceError && error.status === expected,
        );
    });
  }

  test('nothing where no rule asks for it', () => assert.equal(seconds(undefined, undefined), 0));
});
