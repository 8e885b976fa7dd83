// The requests of the fuzzing of the API: odd paths, queries, headers and bodies for every declared endpoint.
import fc from 'fast-check';
import { methods } from '../../src/auth/index.ts';
import { tokenEndpoints } from '../../src/auth/token/index.ts';
import { engines } from '../../src/engines/index.ts';
import type { Verb } from '../../src/framework/endpoint.ts';
import { identityEndpoints } from '../../src/identity/index.ts';
import { statusEndpoints, systemEndpoints } from '../../src/sys/index.ts';
import { ROOT } from '../attacks/support.ts';

/** In every text of a body and in every token that is tried: no error may show it. */
export const CANARY = 'kanarienvogel';

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
  ...placesOf('identity/', identityEndpoints),
  ...methods.flatMap(({ type, variant }) => placesOf(`auth/${type}/`, variant(new Map()).endpoints)),
  ...placesOf('secret/', kv),
  { methods: ['GET', 'POST', 'DELETE'], path: 'nowhere/:path', names: ['a'] },
];

const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'list', 'limit', 'after', '', 'a b', 'é', '10', '2'];

/** What stands for the ids of things that there are, in paths and bodies: the test puts the ids in their place. */
export const PLACES_OF_IDS = ['ENTITY-ID', 'OTHER-ENTITY-ID', 'GROUP-ID', 'OTHER-GROUP-ID', 'ACCESSOR-ID', 'ROLE-ID'];

const plain = fc.constantFrom('a', 'b', 'c', 'default', 'secret', 'token', 'tune', 'data', ...PLACES_OF_IDS);
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
      ...PLACES_OF_IDS.flatMap((id) => [`"${id}"`, `["${id}"]`]),
      ...['"external"', '"internal"', '"a=b"', '"10.0.0.0/8"', '"::ffff:10.0.0.1/96"', '["a","ROOT"]', '"login/a"'],
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
export interface Tried {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly header: readonly [string, string] | undefined;
  readonly body: string;
  readonly token: string | undefined;
}

const requestTo = ({ methods, path, names }: Place): fc.Arbitrary<Tried> =>
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
        size: 'max',
      }),
      members: fc.array(fc.tuple(fc.constantFrom(...names, ...names, ...names, ...ODD_NAMES), fragment), {
        maxLength: 6,
        size: 'max',
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
    });

/** Any request to any place. */
export const tried: fc.Arbitrary<Tried> = fc.oneof(...PLACES.map(requestTo));
