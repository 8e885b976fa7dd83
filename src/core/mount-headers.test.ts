import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noContent } from '../framework/answer.ts';
import { read, write } from '../framework/endpoint.ts';
import { ServiceError } from '../framework/errors.ts';
import { string } from '../framework/kinds/index.ts';
import { STANDARD_HEADERS } from '../http/reply.ts';
import { headerRules, refusePassing, refuseSetting } from './mount-headers.ts';
import { type Lines, member, ProbeServer } from './testing.ts';

const CARRIERS = [
  ...['Authorization', 'Proxy-Authorization', 'X-Service-Token', 'X-Vault-Token', 'x-vault-mfa', 'X-SERVICE-MFA'],
  ...['X-Vault-Namespace', 'x-service-namespace', 'X-Vault-Wrap-TTL', 'X-Service-Wrap-Ttl'],
];
const OF_THE_FRONT = [
  ...['Content-Type', 'Content-Length', 'Transfer-Encoding', 'connection', 'DATE'],
  ...STANDARD_HEADERS.map(([name]) => name),
];
const refused = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 400 && error.message.startsWith('f: ');

describe('headers that a mount may be given', () => {
  for (const name of CARRIERS)
    test(`${name} is not passed on`, () => assert.throws(() => refusePassing('f', name), refused));
  for (const name of OF_THE_FRONT)
    test(`${name} is not set`, () => assert.throws(() => refuseSetting('f', name), refused));
  for (const name of ['', 'a b', 'a:', 'a\r\nb', 'é', '"a"']) {
    test(`${JSON.stringify(name)} is none`, () => {
      assert.throws(() => refusePassing('f', name), refused);
      assert.throws(() => refuseSetting('f', name), refused);
    });
  }
  for (const name of ['X-One', 'cookie', 'Retry-After', 'X-Authorization', 'authorization2']) {
    test(`${name} is`, () => {
      refusePassing('f', name);
      refuseSetting('f', name);
    });
  }

  test('names are compared in lower case, and what must not pass does not, even where it was stored', () => {
    const { request, response } = headerRules({
      passthroughRequestHeaders: ['X-One', ...CARRIERS],
      allowedResponseHeaders: ['Retry-After', ...OF_THE_FRONT],
    });
    assert.deepEqual([[...request], [...response]], [['x-one'], ['retry-after']]);
  });
});

describe('headers between a client and an engine', () => {
  const headers = ['x-one', 'x-two', 'authorization', 'x-service-token', 'x-vault-token'] as const;
  const show = (all: ReadonlyMap<string, string>) => ({ data: { seen: Object.fromEntries(all) } });
  const endpoints = [
    read('asks', { summary: 'Asks for headers', params: {}, headers }, (_, context) => show(context.headers)),
    read('asks-not', { summary: 'Asks for none', params: {} }, (_, context) => show(context.headers)),
    read('sets', { summary: 'Sets headers', params: {} }, () => ({
      data: { x: 1 },
      headers: [
        ['X-Set', 'a'],
        ['x-other', 'b'],
        ['Cache-Control', 'public'],
      ],
    })),
    read('sets-alone', { summary: 'Sets headers of nothing', params: {} }, () => ({ headers: [['X-Set', 'a']] })),
    write('fails', { summary: 'Fails', params: { x: string('') } }, (_, { headers: none }) => {
      assert.equal(none.size, 0);
      return noContent;
    }),
  ];
  const sent: Lines = [
    ['x-one', 'first'],
    ['x-one', 'second'],
    ['x-two', 'two'],
    ['x-three', 'three'],
  ];

  async function fixture(settings: object): Promise<ProbeServer> {
    const server = await ProbeServer.open(endpoints);
    assert.equal(await server.status('POST', 'sys/mounts/probe/tune', { body: settings }), 204);
    return server;
  }
  const seen = async (server: ProbeServer, path: string, lines = sent): Promise<unknown> =>
    member((await server.ask('GET', path, { headers: lines })).json, 'data', 'seen');

  test('the engine sees what it asks for and the owner hands on, and nothing else', async () => {
    const server = await fixture({ passthrough_request_headers: ['X-ONE', 'x-three'] });
    assert.deepEqual(await seen(server, 'probe/asks'), { 'x-one': 'first, second' });
    assert.deepEqual(await seen(server, 'probe/asks', []), {});
    assert.deepEqual(await seen(server, 'probe/asks-not'), {});
    await server.ask('POST', 'sys/mounts/probe/tune', { body: { passthrough_request_headers: 'x-two' } });
    assert.deepEqual(await seen(server, 'probe/asks'), { 'x-two': 'two' });
    await server.ask('POST', 'sys/mounts/probe/tune', { body: { passthrough_request_headers: [] } });
    assert.deepEqual(await seen(server, 'probe/asks'), {});
    assert.equal(await server.status('POST', 'probe/fails', { headers: sent }), 204);
  });

  test('B17 a token is never passed on, whatever is asked and set', async () => {
    const server = await fixture({ passthrough_request_headers: ['x-one'] });
    for (const name of CARRIERS) {
      const body = { passthrough_request_headers: ['x-one', name] };
      assert.equal(await server.status('POST', 'sys/mounts/probe/tune', { body }), 400, name);
    }
    const token = await server.tokenWith('path "probe/asks" { capabilities = ["read"] }');
    for (const line of [
      ['authorization', `Bearer ${token}`],
      ['x-vault-token', token],
      ['x-service-token', token],
    ] as const) {
      const { status, json } = await server.ask('GET', 'probe/asks', { token: undefined, headers: [line, ...sent] });
      assert.deepEqual([status, member(json, 'data', 'seen')], [200, { 'x-one': 'first, second' }]);
    }
  });

  test('an answer has those headers that the owner allows, and those of the server stay its own', async () => {
    const server = await fixture({});
    assert.deepEqual((await server.ask('GET', 'probe/sets')).headers ?? [], []);
    await server.ask('POST', 'sys/mounts/probe/tune', { body: { allowed_response_headers: ['x-set', 'X-None'] } });
    const { status, headers, json } = await server.ask('GET', 'probe/sets');
    assert.deepEqual([status, headers, member(json, 'data')], [200, [['X-Set', 'a']], { x: 1 }]);
    const alone = await server.ask('GET', 'probe/sets-alone');
    assert.deepEqual([alone.status, alone.headers], [204, [['X-Set', 'a']]]);
    const wrapped = await server.ask('GET', 'probe/sets', { headers: [['x-vault-wrap-ttl', '60']] });
    assert.deepEqual([wrapped.status, wrapped.headers ?? [], member(wrapped.json, 'data')], [200, [], null]);
    for (const name of OF_THE_FRONT) {
      const body = { allowed_response_headers: name };
      assert.equal(await server.status('POST', 'sys/mounts/probe/tune', { body }), 400, name);
    }
  });
});
