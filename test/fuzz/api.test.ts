// Every endpoint with odd paths, queries, headers and bodies: a mistake of the caller is a 4xx, never a 500, a crash, or a
// sentence that repeats what was sent. FUZZ_SEED repeats a run, FUZZ_SECONDS lengthens it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tokenEndpoints } from '../../src/auth/token/index.ts';
import { engines } from '../../src/engines/index.ts';
import type { Verb } from '../../src/framework/endpoint.ts';
import { statusEndpoints, systemEndpoints } from '../../src/sys/index.ts';
import { ROOT, startTarget } from '../attacks/support.ts';

const { FUZZ_SEED, FUZZ_SECONDS } = process.env;
const seed = Number(FUZZ_SEED ?? Date.now() % 1_000_000_007);
const seconds = Number(FUZZ_SECONDS ?? 3);

/** In every text of a body and in every token that is tried: no error may show it. */
const CANARY = 'kanarienvogel';

const METHODS: Readonly<Record<Verb, readonly string[]>> = {
  read: ['GET', 'HEAD'],
  list: ['LIST', 'GET'],
  scan: ['SCAN'],
  write: ['POST', 'PUT'],
  patch: ['PATCH'],
  remove: ['DELETE'],
};

interface Place {
  readonly methods: readonly string[];
  readonly path: string;
  readonly names: readonly string[];
}

const placesOf = (
  prefix: string,
  endpoints: readonly { readonly verb: Verb; readonly path: string; readonly params: object }[],
): Place[] =>
  endpoints.map(({ verb, path, params }) => ({
    methods: METHODS[verb],
    path: prefix + path,
    names: Object.keys(params),
  }));

const kv = engines.flatMap((engine) =>
  engine.type === 'kv' ? engine.variant(new Map([['version', '2']])).endpoints : [],
);

/** Of the declared endpoints only the one that seals the server is left out. */
const PLACES = [
  ...placesOf(
    'sys/',
    systemEndpoints.filter(({ path }) => path !== 'seal'),
  ),
  ...placesOf('sys/', statusEndpoints),
  ...placesOf('auth/token/', tokenEndpoints),
  ...placesOf('secret/', kv),
  { methods: ['GET', 'POST', 'DELETE'], path: 'nowhere/:path', names: ['a'] },
];

const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'list', 'limit', 'after', '', 'a b', 'é', '10', '2'];

const plain = fc.constantFrom('a', 'b', 'c', 'default', 'secret', 'token', 'tune', 'data');
const unusual = fc.constantFrom(
  ...[
    'root',
    '__proto__',
    'constructor',
    '+',
    '*',
    'a*',
    "'",
    '%22',
    '%25',
    '%5c',
    '_',
    ';',
    'A',
    '%C3%A9',
    '-1',
    '10',
  ],
  ...['%F0%9F%92%A9', '%20', '...', 'x'.repeat(512), 'x'.repeat(200)],
);
const refused = fc.constantFrom(
  ...['..', '.', '%2e%2e', '%2F', '%00', '%0a', '%7f', '%ff', '%zz', '%', '', 'x'.repeat(513), '{path}'],
);
const segment = fc.oneof(
  { weight: 12, arbitrary: plain },
  { weight: 4, arbitrary: unusual },
  { weight: 1, arbitrary: refused },
);

const fragment: fc.Arbitrary<string> = fc.letrec<{ value: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(
      ...[
        'null',
        'true',
        'false',
        '0',
        '-0',
        '1',
        '-1',
        '2',
        '1.5',
        '1e3',
        '1e15',
        '1e308',
        '-1e308',
        '1E-400',
        '900',
        '901',
      ],
      ...[
        '9007199254740991',
        '9007199254740992',
        '-9007199254740992',
        '12345678901234567890',
        '1e400',
        '01',
        '+1',
        'NaN',
      ],
      ...[
        '""',
        '" "',
        '"0"',
        '"1"',
        '"-1"',
        '"0x10"',
        '"t"',
        '"1h30m"',
        '"-1h"',
        '"2562047h"',
        '"292y"',
        '"1e9"',
        '".5s"',
      ],
      ...[
        '"kv"',
        '"kv-v2"',
        '"2"',
        '"system"',
        '"unauth"',
        '"service"',
        '"batch"',
        '"root"',
        '"default"',
        '"a,b"',
        '","',
      ],
      ...[
        '"\\u0000"',
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\ud83d\\ude00"',
        '"\\u2028"',
        '"\\""',
        '"\\x"',
        '"\n"',
        '"__proto__"',
      ],
      ...['{', '}', '[', '"', 'path "a" {}', '"path \\"secret/*\\" { capabilities = [\\"read\\"] }"', '"cGF0aA=="'],
      ...[
        '"2006-01-02T15:04:05Z"',
        '"275760-09-13T00:00:00Z"',
        `"${'9'.repeat(300)}"`,
        `"${'h'.repeat(5000)}"`,
        '9'.repeat(400),
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(CANARY + text)),
    fc.double().map((number) => JSON.stringify(number)),
    fc.maxSafeInteger().map(String),
  ),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(fc.constantFrom(...ODD_NAMES, CANARY, 'version', 'cas', 'config', 'data'), tie('value')), {
        maxLength: 4,
      })
      .map((pairs) => `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`),
  ),
})).value;

const odd = fc.constantFrom(
  '',
  '0',
  '-1',
  '1',
  'true',
  'abc',
  '%',
  '%zz',
  '%00',
  '%ff',
  '+',
  "'",
  'x'.repeat(3000),
  '%F4%8F%BF%BF',
  'a/b',
  '1e9',
);

const headers = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly [string, string] | undefined>(undefined) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom(
        'X-Service-Wrap-TTL',
        'X-Vault-Namespace',
        'X-Service-Request',
        'X-Service-MFA',
        'Content-Encoding',
        'Accept',
        'Host',
        'X-Forwarded-For',
      ),
      fc.constantFrom('', '0', '-1', '60s', 'abc', 'root', 'team', 'gzip', '\xff', '127.0.0.1', 'a:b', ','),
    ),
  },
);

const type = fc.constantFrom(
  'application/json',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'text/plain',
  '',
);

/** One request, told so that a counterexample reads well. */
interface Tried {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly header: readonly [string, string] | undefined;
  readonly body: string;
  readonly token: string | undefined;
}

const tried: fc.Arbitrary<Tried> = fc.constantFrom(...PLACES).chain(({ methods, path, names }) =>
  fc
    .record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...methods) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('GET', 'LIST', 'SCAN', 'POST', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'),
        },
      ),
      segments: fc.array(segment, { minLength: 8, maxLength: 8 }),
      deep: fc.integer({ min: 0, max: 3 }),
      query: fc.array(fc.tuple(fc.constantFrom(...names, ...names, ...names, ...ODD_NAMES.slice(0, 6)), odd), {
        maxLength: 3,
      }),
      members: fc.array(fc.tuple(fc.constantFrom(...names, ...names, ...names, ...ODD_NAMES), fragment), {
        maxLength: 6,
      }),
      cut: fc.oneof(
        { weight: 15, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }) },
      ),
      type: methods[0] === 'PATCH' ? fc.constant('application/merge-patch+json') : type,
      header: headers,
      token: fc.oneof(
        { weight: 12, arbitrary: fc.constant(ROOT) },
        { weight: 1, arbitrary: fc.constantFrom(undefined, CANARY, `s.${CANARY}`) },
      ),
    })
    .map(({ segments, deep, query, members, cut, method, ...rest }) => {
      let next = 0;
      const take = (): string => segments[next++ % segments.length] ?? '';
      const filled = path.replace(/:(\w+)/g, (_, name) =>
        name === 'path' ? Array.from({ length: deep }, take).join('/') : take(),
      );
      const asked = query.map(([name, value]) => `${encodeURIComponent(name)}=${value}`);
      if (method === 'GET' && segments[7] === 'a') asked.push('list=true');
      const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
      const body = text.slice(0, text.length - cut);
      return { method, path: asked.length === 0 ? filled : `${filled}?${asked.join('&')}`, body, ...rest };
    }),
);

test(`no request makes the server fail or repeat what it was sent (FUZZ_SEED=${seed})`, async (context) => {
  const target = await startTarget();
  const statuses = new Map<number, number>();
  const check = async ({ method, path, type, header, body, token }: Tried): Promise<void> => {
    const { text, status } = await target.send(method, path, {
      token: path.startsWith('auth/token/revoke-self') && token === ROOT ? await target.token({}) : token,
      ...(/^(GET|HEAD|LIST|SCAN|DELETE|OPTIONS|TRACE)$/.test(method) ? {} : { body }),
      headers: {
        ...(type === '' ? {} : { 'Content-Type': type }),
        ...(header === undefined ? {} : { [header[0]]: header[1] }),
      },
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // Whoever asks sys/health for a status gets it.
    const failed = status >= 500 && !path.startsWith('sys/health');
    assert.ok(!failed, `${status}: ${text}\n${target.logged.at(-1)}`);
    if (status >= 400) assert.ok(!text.includes(CANARY) && !text.includes(ROOT), `repeats what was sent: ${text}`);
    assert.ok(status !== 200 || method === 'HEAD' || text !== '', 'a 200 has a body');
  };
  const property = fc.asyncProperty(fc.array(tried, { minLength: 1, maxLength: 4 }), async (requests) => {
    await Promise.all(requests.map(({ path, ...rest }) => check({ ...rest, path: path.replaceAll('é', '%C3%A9') })));
  });
  await fc.assert(property, { seed, numRuns: 1_000_000, interruptAfterTimeLimit: seconds * 1000, endOnFailure: false });
  const health = await target.send('GET', 'sys/health', { token: undefined });
  assert.equal(health.status, 200);
  assert.deepEqual(
    target.logged.filter((line) => line.startsWith('a request failed')),
    [],
  );
  const shown = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  context.diagnostic(shown.join(', '));
  for (const status of [200, 204, 400, 403, 404, 405])
    assert.ok((statuses.get(status) ?? 0) > 0, `${status} was reached`);
});
