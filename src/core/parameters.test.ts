import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noContent } from '../framework/answer.ts';
import type { WriteContext } from '../framework/context.ts';
import { type Endpoint, patch, read, remove, write } from '../framework/endpoint.ts';
import { ServiceError } from '../framework/errors.ts';
import { int, optional, string, wholeBody } from '../framework/kinds/index.ts';
import { readCall } from './call.ts';
import { parseParameters, parsePathParameters, readGiven } from './parameters.ts';
import { requestOf } from './testing.ts';

const spec = { summary: 'Test', params: { name: string(), text: optional(string()), size: int(7) } };
const run = (): typeof noContent => noContent;
const ENDPOINTS: ReadonlyMap<string, Endpoint<WriteContext>> = new Map([
  ['GET', read('keys/:name', spec, run)],
  ['POST', write('keys/:name', spec, run)],
  ['PUT', write('keys/:name', spec, run)],
  ['PATCH', patch('keys/:name', spec, run)],
  ['DELETE', remove('keys/:name', spec, run)],
]);

interface Sent {
  readonly query?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

/** What a handler gets, by its name in the path `k`. */
function arrived(method: string, { query = '', headers = [], body = '' }: Sent): Readonly<Record<string, unknown>> {
  const endpoint = ENDPOINTS.get(method);
  assert.ok(endpoint);
  const call = readCall(requestOf(method, `/v1/keys/k${query}`, headers, body));
  return parseParameters(endpoint, new Map([['name', 'k']]), readGiven(endpoint.verb, call));
}

const NOTHING = { name: 'k', text: undefined, size: 7 };
const FORM = ['content-type', 'application/x-www-form-urlencoded'] as const;
const MERGE = ['content-type', 'application/merge-patch+json'] as const;

describe('where parameters come from', () => {
  for (const [what, method, sent, values] of [
    ['a read: the query', 'GET', { query: '?text=a&size=3' }, { text: 'a', size: 3 }],
    ['a read: not the body', 'GET', { body: '{"text":"a"}' }, {}],
    ['a read: not a bad body either', 'GET', { body: '{' }, {}],
    ['a removal: the query', 'DELETE', { query: '?text=a' }, { text: 'a' }],
    ['a removal: not the body', 'DELETE', { body: '{"text":"a"}' }, {}],
    ['a write: the body', 'POST', { body: '{"text":"a","size":3}' }, { text: 'a', size: 3 }],
    ['a write: not the query', 'POST', { query: '?text=a&size=3' }, {}],
    ['PUT equals POST', 'PUT', { body: '{"text":"a"}' }, { text: 'a' }],
    ['a patch: the body', 'PATCH', { headers: [MERGE], body: '{"text":"a"}' }, { text: 'a' }],
    ['the path beats the body', 'POST', { body: '{"name":"other"}' }, {}],
    ['the path beats the query', 'GET', { query: '?name=other' }, {}],
    ['what is not declared never arrives', 'POST', { body: '{"other":1,"__proto__":{"text":"a"}}' }, {}],
    ['of duplicates the last counts', 'POST', { body: '{"text":"a","text":"b"}' }, { text: 'b' }],
    ['null is not given', 'POST', { body: '{"text":null,"size":null}' }, {}],
  ] as const) {
    test(what, () => assert.deepEqual({ ...arrived(method, sent) }, { ...NOTHING, ...values }));
  }
});

describe('bodies', () => {
  for (const [what, sent, values] of [
    ['none', {}, {}],
    ['blank', { body: ' \t\r\n' }, {}],
    ['null', { body: 'null' }, {}],
    ['an empty object', { body: '{}' }, {}],
    ['JSON without a type', { body: '{"text":"a"}' }, { text: 'a' }],
    ['JSON as text', { headers: [['content-type', 'text/plain']], body: '{"text":"a"}' }, { text: 'a' }],
    ['JSON called a form', { headers: [FORM], body: ' \n{"text":"a=b&c"}' }, { text: 'a=b&c' }],
    ['a form', { headers: [FORM], body: 'text=a+b%C3%A4&size=3' }, { text: 'a bä', size: 3 }],
    [
      'a form with a charset',
      { headers: [['content-type', 'Application/X-WWW-Form-Urlencoded; charset=utf-8']], body: 'text=a' },
      { text: 'a' },
    ],
    ['a form of raw UTF-8', { headers: [FORM], body: 'text=é😀' }, { text: 'é😀' }],
    ['an empty form', { headers: [FORM] }, {}],
    ['a blank form', { headers: [FORM], body: '  ' }, {}],
    ['an encoding that is none', { headers: [['content-encoding', 'Identity']], body: '{"text":"a"}' }, { text: 'a' }],
  ] as const) {
    test(what, () => assert.deepEqual({ ...arrived('POST', sent) }, { ...NOTHING, ...values }));
  }

  for (const [what, method, sent, status, sentence] of [
    ['malformed JSON', 'POST', { body: '{"text":' }, 400, /body/],
    ['a list', 'POST', { body: '[1]' }, 400, /body/],
    ['a text', 'POST', { body: '"s3cret"' }, 400, /body/],
    ['a number', 'POST', { body: '7' }, 400, /body/],
    ['two values', 'POST', { body: '{}{}' }, 400, /body/],
    ['a byte order mark', 'POST', { body: Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]) }, 400, /body/],
    ['bytes that are no UTF-8', 'POST', { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }, 400, /body/],
    ['a form that is not called one', 'POST', { body: 'text=s3cret' }, 400, /body/],
    ['a broken form', 'POST', { headers: [FORM], body: 'text=%zz' }, 400, /^request body: a percent/],
    ['a form of Latin 1', 'POST', { headers: [FORM], body: Buffer.from('text=é', 'latin1') }, 400, /UTF-8/],
    ['a list called a form', 'POST', { headers: [FORM], body: '[1]' }, 400, /body/],
    ['a packed body', 'POST', { headers: [['content-encoding', 'gzip']], body: '{}' }, 400, /^Content-Encoding/],
    ['a value of another kind', 'POST', { body: '{"size":"s3cret"}' }, 400, /^size: /],
    ['a query of another kind', 'GET', { query: '?size=1.5' }, 400, /^size: /],
    ['a patch without a type', 'PATCH', { body: '{}' }, 400, /^Content-Type/],
    ['a patch with an empty type', 'PATCH', { headers: [['content-type', '']], body: '{}' }, 400, /^Content-Type/],
    ['a patch as JSON', 'PATCH', { headers: [['content-type', 'application/json']], body: '{}' }, 415, /^Content-Type/],
    [
      'a patch as JSON Patch',
      'PATCH',
      { headers: [['content-type', 'application/json-patch+json']], body: '[]' },
      415,
      /^Content-Type/,
    ],
    ['a patch as a form', 'PATCH', { headers: [FORM], body: 'text=a' }, 415, /^Content-Type/],
  ] as const) {
    test(`${what} is ${status}`, () => {
      assert.throws(
        () => arrived(method, sent),
        (error) => {
          assert.ok(error instanceof ServiceError);
          assert.equal(error.status, status);
          assert.match(error.message, sentence);
          assert.doesNotMatch(error.message, /s3cret/);
          return true;
        },
      );
    });
  }

  test('a patch may say its charset', () => {
    const headers = [['content-type', 'Application/Merge-Patch+JSON ; charset=utf-8']] as const;
    assert.deepEqual({ ...arrived('PATCH', { headers, body: '{"text":"a"}' }) }, { ...NOTHING, text: 'a' });
  });
});

test('the parameters of the path alone are those of the path alone', () => {
  const endpoint = ENDPOINTS.get('POST');
  assert.ok(endpoint);
  assert.deepEqual({ ...parsePathParameters(endpoint, new Map([['name', 'ä"\\']])) }, { name: 'ä"\\' });
});

describe('a body as a whole', () => {
  const endpoint = write('notes/:name', { summary: 'Test', params: { name: string(), note: wholeBody() } }, run);
  const arrives = (body: string | Buffer, headers: Sent['headers'] = []): unknown => {
    const call = readCall(requestOf('POST', '/v1/notes/k?x=1', headers, body));
    const { note } = parseParameters(endpoint, new Map([['name', 'k']]), readGiven('write', call));
    return Object(note).text;
  };
  for (const [what, body, text] of [
    [
      'comes to the digit and in order',
      ' {"b":1.10, "a":[null],"name":"x","b":2} ',
      '{"b":1.10, "a":[null],"name":"x","b":2}',
    ],
    ['empty is an empty object', '', '{}'],
    ['null is too', 'null', '{}'],
  ] as const) {
    test(what, () => assert.equal(arrives(body), text));
  }

  test('the fields of a form are its texts', () => {
    assert.equal(arrives('x=1&y=a+%22b%22&__proto__=&x=2', [FORM]), '{"x":"2","y":"a \\"b\\"","__proto__":""}');
  });

  for (const body of ['[]', '"x"', '{', '{"a":1e999}', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]) {
    test(`${body} is refused`, () => {
      assert.throws(
        () => arrives(body),
        (e) => e instanceof ServiceError && e.status === 400 && /request body/.test(e.message),
      );
    });
  }
});
