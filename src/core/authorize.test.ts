import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { noContent } from '../framework/answer.ts';
import { list, patch, read, remove, write } from '../framework/endpoint.ts';
import { string } from '../framework/kinds/index.ts';
import { member, ProbeServer } from './testing.ts';

const name = string();
/** Times that an endpoint was asked whether what is written exists. */
let asked = 0;

const endpoints = [
  read('items/:name', { summary: 'Read', params: { name } }, () => noContent),
  patch('items/:name', { summary: 'Patch', params: { name } }, () => noContent),
  remove('items/:name', { summary: 'Remove', params: { name } }, () => noContent),
  list('items', { summary: 'List', params: {} }, () => ({ keys: ['a'] })),
  write(
    'items/:name',
    {
      summary: 'Write',
      params: { name },
      exists: async (values, { store }) => {
        asked += 1;
        return (await store.get(values.name)) !== undefined;
      },
    },
    (values, { store }) => {
      store.put(values.name, Buffer.from('x'));
      return noContent;
    },
  ),
  write('plain/:name', { summary: 'Write', params: { name } }, () => noContent),
  read('sudo/:name', { summary: 'Read', params: { name }, sudo: true }, () => noContent),
  read('token', { summary: 'Read', params: {}, access: 'token' }, (_, { caller }) => ({
    data: { policies: caller.policies },
  })),
  read('optional', { summary: 'Read', params: {}, access: 'optional' }, (_, { caller }) => ({
    data: { caller: caller === undefined ? 'nobody' : 'somebody' },
  })),
  read('none', { summary: 'Read', params: {}, access: 'none' }, (_, context) => ({
    data: { caller: Reflect.get(context, 'caller') === undefined ? 'nobody' : 'somebody' },
  })),
];

let server: ProbeServer;
before(async () => {
  server = await ProbeServer.open(endpoints);
});

const grant = (path: string, ...capabilities: readonly string[]): string =>
  `path "${path}" { capabilities = [${capabilities.map((one) => `"${one}"`).join()}] }`;

describe('the capability that an endpoint wants', () => {
  const methods = [
    ['GET', 'probe/items/a', 'read'],
    ['PATCH', 'probe/items/a', 'patch'],
    ['DELETE', 'probe/items/a', 'delete'],
    ['LIST', 'probe/items', 'list'],
    ['POST', 'probe/plain/a', 'update'],
    ['PUT', 'probe/plain/a', 'update'],
  ] as const;
  const all = ['create', 'read', 'update', 'patch', 'delete', 'list', 'scan', 'sudo'] as const;
  const headers = [['content-type', 'application/merge-patch+json']] as const;

  for (const [method, path, wanted] of methods) {
    test(`${method} ${path} wants ${wanted} and nothing else`, async () => {
      for (const capability of all) {
        const token = await server.tokenWith(grant('probe/*', capability));
        const status = await server.status(method, path, { token, headers });
        assert.equal(status === 403, capability !== wanted, `${capability}: ${status}`);
      }
      const others = all.filter((capability) => capability !== wanted);
      const token = await server.tokenWith(grant('probe/*', ...others));
      assert.equal(await server.status(method, path, { token, headers }), 403);
      const denied = await server.tokenWith(grant('probe/*', ...all, 'deny'));
      assert.equal(await server.status(method, path, { token: denied, headers }), 403);
    });
  }

  test('a list is of a folder, whichever way it is asked for; a rule may leave its slash out', async () => {
    const folder = await server.tokenWith(grant('probe/items/', 'list'));
    const bare = await server.tokenWith(grant('probe/items', 'list'));
    const below = await server.tokenWith(grant('probe/items/a', 'list'));
    for (const [method, path] of [
      ['LIST', 'probe/items'],
      ['LIST', 'probe/items/'],
      ['GET', 'probe/items?list=true'],
      ['GET', 'probe/items/?list=true'],
    ] as const) {
      assert.equal(await server.status(method, path, { token: folder }), 200, `${method} ${path}`);
      assert.equal(await server.status(method, path, { token: bare }), 200, `${method} ${path}`);
      assert.equal(await server.status(method, path, { token: below }), 403, `${method} ${path}`);
    }
  });

  test('the policies judge the path that serves the request, not its spelling', async () => {
    const token = await server.tokenWith(`${grant('probe/*', 'read')} ${grant('probe/items/secret', 'deny')}`);
    assert.equal(await server.status('GET', 'probe/items/other', { token }), 204);
    for (const path of ['probe/items/secret', 'probe/items/%73ecret', 'probe/%69tems/secret', '%70robe/items/secret']) {
      assert.equal(await server.status('GET', path, { token }), 403, path);
    }
    for (const path of [
      'probe//items/secret',
      'probe/x/../items/secret',
      'probe/items%2Fsecret',
      'probe/items/./secret',
    ]) {
      assert.ok([307, 400].includes(await server.status('GET', path, { token })), path);
    }
    assert.equal(await server.status('GET', 'probe/items/secret/', { token }), 404);
  });
});

describe('create or update', () => {
  test('who may create writes what is new, and nothing else', async () => {
    const token = await server.tokenWith(grant('probe/items/*', 'create'));
    assert.equal(await server.status('POST', 'probe/items/new', { token }), 204);
    assert.equal(await server.status('POST', 'probe/items/new', { token }), 403);
  });

  test('who may update writes what exists, and nothing else', async () => {
    const token = await server.tokenWith(grant('probe/items/*', 'update'));
    assert.equal(await server.status('POST', 'probe/items/later', { token }), 403);
    assert.equal(await server.status('POST', 'probe/items/later'), 204);
    assert.equal(await server.status('POST', 'probe/items/later', { token }), 204);
  });

  test('who may neither learns nothing: what exists is not even looked up', async () => {
    const token = await server.tokenWith(grant('probe/items/*', 'read', 'patch', 'delete', 'list'));
    const earlier = asked;
    assert.equal(await server.status('POST', 'probe/items/later', { token }), 403);
    assert.equal(await server.status('POST', 'probe/items/never', { token }), 403);
    assert.equal(asked, earlier);
  });

  test('an endpoint that cannot tell wants update', async () => {
    const token = await server.tokenWith(grant('probe/plain/*', 'create'));
    assert.equal(await server.status('POST', 'probe/plain/a', { token }), 403);
  });

  test('of many who create the same at once one does', async () => {
    const token = await server.tokenWith(grant('probe/items/*', 'create'));
    const post = (): Promise<number> => server.status('POST', 'probe/items/race', { token });
    const statuses = await Promise.all(Array.from({ length: 16 }, post));
    assert.deepEqual(statuses.sort(), [204, ...Array.from({ length: 15 }, () => 403)]);
  });
});

describe('who may call', () => {
  test('sudo is wanted besides the capability', async () => {
    const without = await server.tokenWith(grant('probe/sudo/*', 'read'));
    const alone = await server.tokenWith(grant('probe/sudo/*', 'sudo'));
    const both = await server.tokenWith(grant('probe/sudo/*', 'read', 'sudo'));
    const path = 'probe/sudo/a';
    assert.equal(await server.status('GET', path, { token: without }), 403);
    assert.equal(await server.status('GET', path, { token: alone }), 403);
    assert.equal(await server.status('GET', path, { token: both }), 204);
    assert.equal(await server.status('GET', path), 204);
  });

  for (const [path, nobody, stranger, known] of [
    ['probe/items/a', 403, 403, 403],
    ['probe/token', 403, 403, 200],
    ['probe/optional', 200, 403, 200],
    ['probe/none', 200, 200, 200],
  ] as const) {
    test(`${path}: nobody ${nobody}, a token that is none ${stranger}, one without a policy ${known}`, async () => {
      const token = await server.tokenWith(grant('elsewhere', 'read'));
      assert.equal(await server.status('GET', path, { token: undefined }), nobody);
      assert.equal(await server.status('GET', path, { token: 's.nobody' }), stranger);
      assert.equal(await server.status('GET', path, { token: 'nobody' }), stranger);
      assert.equal(await server.status('GET', path, { token }), known);
    });
  }

  test('a caller is known where the endpoint takes a token, and nowhere else', async () => {
    const token = await server.tokenWith(grant('elsewhere', 'read'));
    const callerOf = async (path: string, given: string | undefined): Promise<unknown> =>
      member((await server.ask('GET', path, { token: given })).json, 'data', 'caller');
    assert.equal(await callerOf('probe/optional', token), 'somebody');
    assert.equal(await callerOf('probe/optional', undefined), 'nobody');
    assert.equal(await callerOf('probe/none', token), 'nobody');
  });
});

describe('what leads nowhere is told only to who may call there', () => {
  const wide = grant('probe/*', 'create', 'read', 'update', 'patch', 'delete', 'list', 'scan');
  for (const [method, path, permitted] of [
    ['GET', 'probe/nope', 404],
    ['POST', 'probe/nope', 404],
    ['LIST', 'probe/nope', 404],
    ['GET', 'probe', 404],
    ['DELETE', 'probe/plain/a', 405],
    ['GET', 'probe/plain/a', 405],
    ['SCAN', 'probe/items', 405],
    ['HEAD', 'probe/items/a', 405],
    ['OPTIONS', 'probe/items/a', 405],
  ] as const) {
    test(`${method} ${path} is ${permitted}, else 403`, async () => {
      const token = await server.tokenWith(`${wide} ${grant('probe', 'read')}`);
      const other = await server.tokenWith(grant('elsewhere', 'read'));
      assert.equal(await server.status(method, path, { token }), permitted);
      assert.equal(await server.status(method, path), permitted, 'root');
      assert.equal(await server.status(method, path, { token: other }), 403);
      assert.equal(await server.status(method, path, { token: undefined }), 403);
      assert.equal(await server.status(method, path, { token: 'nobody' }), 403);
    });
  }

  test('who may only create may learn that there is nothing to write to', async () => {
    const token = await server.tokenWith(grant('probe/*', 'create'));
    assert.equal(await server.status('POST', 'probe/nope', { token }), 404);
    assert.equal(await server.status('GET', 'probe/nope', { token }), 403);
  });
});

describe('a namespace that is not offered', () => {
  const headers = [['x-service-namespace', 'ns1']] as const;
  for (const path of ['probe/items/a', 'probe/nope', 'probe/token', 'probe/optional']) {
    test(`${path}: 404 with a valid token, else 403`, async () => {
      const token = await server.tokenWith(grant('elsewhere', 'read'));
      assert.equal(await server.status('GET', path, { headers }), 404);
      assert.equal(await server.status('GET', path, { headers, token }), 404);
      assert.equal(await server.status('GET', path, { headers, token: undefined }), 403);
      assert.equal(await server.status('GET', path, { headers, token: 'nobody' }), 403);
    });
  }

  test('an endpoint that takes no token: 403, whatever was sent', async () => {
    assert.equal(await server.status('GET', 'probe/none', { headers }), 403);
    assert.equal(await server.status('GET', 'probe/none', { headers, token: undefined }), 403);
  });
});
