import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { noContent } from '../framework/answer.ts';
import { list, patch, read, remove, write } from '../framework/endpoint.ts';
import { bool, optional, string, stringList } from '../framework/kinds/index.ts';
import { member, ProbeServer } from './testing.ts';

const NAMES = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i));
const params = { name: string(), policies: stringList([]), flag: optional(bool()), name_of: string('') };
let written = 0;
const endpoints = [
  read('items/:name', { summary: 'Read', params }, () => noContent),
  patch('items/:name', { summary: 'Patch', params }, () => noContent),
  remove('items/:name', { summary: 'Remove', params }, () => noContent),
  write('items/:name', { summary: 'Write', params, exists: ({ name }) => name === 'old' }, () => {
    written += 1;
    return noContent;
  }),
  list('items', { summary: 'List', params: {} }, ({ page: { after, limit } }) => ({
    keys: NAMES.filter((name) => name > after).slice(0, limit),
  })),
];

let server: ProbeServer;
before(async () => {
  server = await ProbeServer.open(endpoints);
});

const ALL = '["create", "read", "update", "patch", "delete", "list", "sudo"]';
const limited = (keys: string): Promise<string> =>
  server.tokenWith(`path "probe/*" { capabilities = ${ALL}\n ${keys} }`);
const MERGE = [['content-type', 'application/merge-patch+json']] as const;
const FORM = [['content-type', 'application/x-www-form-urlencoded']] as const;

describe('rules on parameters', () => {
  test('of a write and a patch the body counts, of a read and a delete the query', async () => {
    const token = await limited('denied_parameters = { "policies" = ["root"] }');
    const body = { policies: 'a,root' };
    for (const [method, query, sent, status] of [
      ['POST', '', body, 403],
      ['PUT', '', body, 403],
      ['PATCH', '', body, 403],
      ['POST', '?policies=root', {}, 204],
      ['PATCH', '?policies=root', {}, 204],
      ['GET', '?policies=root', undefined, 403],
      ['GET', '?Policies=a,root', undefined, 403],
      ['DELETE', '?policies=root', undefined, 403],
      ['GET', '', body, 204],
      ['DELETE', '', body, 204],
      ['GET', '?policies=rooted', undefined, 204],
    ] as const) {
      const headers = method === 'PATCH' ? MERGE : [];
      assert.equal(
        await server.status(method, `probe/items/new${query}`, { token, headers, body: sent }),
        status,
        `${method} ${query} ${JSON.stringify(sent)}`,
      );
    }
  });

  test('the name in the path is not among them, nor is it taken from the body', async () => {
    const token = await limited('allowed_parameters = { "flag" = [] } denied_parameters = { "name" = ["old"] }');
    assert.equal(await server.status('POST', 'probe/items/old', { token, body: { flag: 1 } }), 204);
    assert.equal(await server.status('POST', 'probe/items/new', { token, body: { flag: 1, name: 'old' } }), 403);
  });

  test('required ones are required of create and update alike, of a delete not', async () => {
    const token = await limited('required_parameters = ["flag"]');
    for (const path of ['probe/items/old', 'probe/items/new']) {
      assert.equal(await server.status('POST', path, { token, body: {} }), 403);
      assert.equal(await server.status('POST', path, { token, body: { flag: false } }), 204);
      assert.equal(await server.status('DELETE', path, { token }), 204);
    }
    assert.equal(await server.status('GET', 'probe/items/old', { token }), 403);
    assert.equal(await server.status('LIST', 'probe/items', { token }), 200);
  });

  test('a form is a body like any other', async () => {
    const token = await limited('denied_parameters = { "flag" = [true] }');
    // The probe sends JSON; a form's texts are the same parameters.
    assert.equal(await server.status('POST', 'probe/items/a', { token, headers: FORM, body: { flag: 't' } }), 403);
  });

  test('a refusal has no effect, tells nothing, and costs a use', async () => {
    const token = await server.tokenWith(
      `path "probe/*" { capabilities = ${ALL} denied_parameters = { "flag" = [] } }`,
      2,
    );
    const earlier = written;
    const refused = await server.ask('POST', 'probe/items/a', { token, body: { flag: 'nonsense' } });
    assert.deepEqual([refused.status, refused.json], [403, { errors: ['permission denied'] }]);
    assert.equal(written, earlier);
    assert.equal(await server.usesOf(token), 1);
  });

  test('root obeys no rule', async () => {
    assert.equal(await server.status('POST', 'probe/items/a', { body: { flag: true } }), 204);
  });
});

describe('pages (known-attacks A11)', () => {
  const keys = async (token: string, query = ''): Promise<number> => {
    const { status, json } = await server.ask('LIST', `probe/items${query}`, { token });
    const found = member(json, 'data', 'keys');
    return Array.isArray(found) ? found.length : -status;
  };

  for (const [query, seen] of [
    ['', 7],
    ['?limit=', 7],
    ['?limit=0', 7],
    ['?limit=-0', 7],
    ['?limit=max', 7],
    ['?limit=3', 3],
    ['?limit=7', 7],
    ['?limit=8', -403],
    ['?limit=-1', -403],
    ['?limit=999999999999', -403],
    ['?limit=1e999', -403],
    ['?limit=Infinity', -403],
    ['?limit=NaN', -400],
    ['?limit=two', -400],
    ['?limit=1.5', -400],
    ['?limit=0x5', -400],
    ['?limit=8&limit=3', 3],
    ['?limit=3&limit=8', -403],
    ['?LIMIT=8', 7],
    ['?after=c&limit=0', 7],
  ] as const) {
    test(`a pagination_limit of 7 and ${query}: ${seen}`, async () => {
      const token = await limited('pagination_limit = 7');
      assert.equal(await keys(token, query), seen);
    });
  }

  test('by GET it is the same', async () => {
    const token = await limited('pagination_limit = 7');
    for (const query of ['list=true', 'list=true&limit=0', 'list=true&limit=max']) {
      const { json } = await server.ask('GET', `probe/items?${query}`, { token });
      assert.equal(Object(member(json, 'data', 'keys')).length, 7);
    }
    assert.equal(await server.status('GET', 'probe/items?list=true&limit=8', { token }), 403);
  });

  test('where limit is required it must be given', async () => {
    const token = await limited('pagination_limit = 7 required_parameters = ["limit"]');
    assert.equal(await keys(token), -403);
    assert.equal(await keys(token, '?limit=max'), 7);
    assert.equal(await keys(token, '?limit=2'), 2);
    assert.equal(await keys(await limited('required_parameters = ["Limit"]')), -403);
  });

  test('without a rule max is all, and the rest as ever', async () => {
    const token = await limited('');
    for (const [query, seen] of [
      ['?limit=max', 20],
      ['?limit=-1', 20],
      ['?limit=19', 19],
      ['?limit=mAx', -400],
    ] as const) {
      assert.equal(await keys(token, query), seen);
    }
    assert.equal((await server.ask('LIST', 'probe/items?limit=max')).status, 200);
  });
});

describe('names that a rule filters', () => {
  const keys = async (policy: string, query = '', method = 'LIST'): Promise<unknown> => {
    const token = await server.tokenWith(policy);
    const { status, json } = await server.ask(method, `probe/items${query}`, { token });
    return status === 200 ? String(member(json, 'data', 'keys')) : status;
  };
  const filter = (template: string) => `list_scan_response_keys_filter_path = ${JSON.stringify(template)}`;
  const lists = (template: string) => `path "probe/items" { capabilities = ["list"] ${filter(template)} }\n`;

  test('those are shown whose path may be read, and a limit counts what is shown', async () => {
    const some = `${lists('{{ .path }}{{ .key }}')} path "probe/items/b" { capabilities = ["read"] }
      path "probe/items/d" { capabilities = ["update"] } path "probe/items/s*" { policy = "read" }
      path "probe/items/t" { capabilities = ["read"] }`;
    assert.equal(await keys(some), 'b,s,t');
    assert.equal(await keys(some, '?limit=2'), 'b,s');
    assert.equal(await keys(some, '?after=b&limit=1'), 's');
    assert.equal(await keys(some, '?list=true', 'GET'), 'b,s,t');
    const elsewhere = `${lists('{{ .path | replace "probe/items/" "kv/" }}{{ .key }}/x')} path "kv/c/x" { policy = "read" }`;
    assert.equal(await keys(elsewhere), 'c');
  });

  test('nothing to show is as if nothing were there', async () => {
    assert.equal(await keys(lists('{{ .path }}{{ .key }}')), 404);
    assert.equal(await keys(`${lists('{{ .key }}')} path "a" { capabilities = ["deny"] }`), 404);
  });

  test('of two rules of the path both count; root sees all', async () => {
    const both = `${lists('x/{{ .key }}')} ${lists('y/{{ .key }}')} path "x/*" { policy = "read" } path "y/c" { policy = "read" }`;
    assert.equal(await keys(both), 'c');
    assert.equal(Object(member((await server.ask('LIST', 'probe/items')).json, 'data', 'keys')).length, 20);
  });
});

describe('wrapping', () => {
  const get = async (token: string, ttl: string | undefined): Promise<unknown> => {
    const headers = ttl === undefined ? [] : [['x-service-wrap-ttl', ttl] as const];
    const { status, json } = await server.ask('LIST', 'probe/items', { token, headers });
    return status === 200 ? member(json, 'wrap_info', 'ttl') : status;
  };

  test('what must be wrapped, within bounds, goes out no other way', async () => {
    const token = await limited('min_wrapping_ttl = "1m" max_wrapping_ttl = "1h"');
    for (const ttl of [undefined, '', '0', '59s', '3601s', '90m']) assert.equal(await get(token, ttl), 403, ttl);
    for (const [ttl, seconds] of [
      ['60', 60],
      ['1m', 60],
      ['1h', 3_600],
    ] as const) {
      assert.equal(await get(token, ttl), seconds);
    }
  });

  test('bounds that leave nothing between them, out of two rules, permit nothing', async () => {
    const token = await server.tokenWith(
      `path "probe/*" { capabilities = ["list"] min_wrapping_ttl = 100 } path "probe/*" { capabilities = ["list"] max_wrapping_ttl = 50 }`,
    );
    for (const ttl of ['50', '75', '100', undefined]) assert.equal(await get(token, ttl), 403);
  });
});
