import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { list, scan } from '../framework/endpoint.ts';
import { string } from '../framework/kinds/index.ts';
import { namesOf, type Page, PIECE } from '../framework/listing.ts';
import { ROOT_ACL } from '../policies/index.ts';
import { visibleNames } from './list-filter.ts';
import { member, ProbeServer } from './testing.ts';

const MANY = Array.from({ length: 3 * PIECE }, (_, n) => String(n).padStart(6, '0'));

/** Listed at `probe/meta/…`, read at `probe/data/…` or there. */
const FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', ['a', 'b', 'f/', 'g/', 'h/']],
  ['f', ['x', 'y']],
  ['many', MANY],
]);
const TREE = ['a', 'b', 'f/x', 'f/y', 'g/x', 'h/i/x'];

const page =
  (names: readonly string[]) =>
  ({ after, limit }: Page) => ({ keys: names.filter((name) => name > after).slice(0, limit) });

const entries = ['data/:path', 'meta/:path'];
const params = { path: string() };
const endpoints = [
  list('meta/:path', { summary: 'List', params, entries }, ({ path, page: asked }) =>
    page(FOLDERS.get(path) ?? [])(asked),
  ),
  scan('meta/:path', { summary: 'Scan', params, entries }, ({ path, after }) =>
    namesOf(
      page(path === '' ? TREE : TREE.filter((n) => n.startsWith(`${path}/`)).map((n) => n.slice(path.length + 1))),
      after,
    ),
  ),
  list('open/:path', { summary: 'List', params }, ({ path, page: asked }) => page(FOLDERS.get(path) ?? [])(asked)),
];

let server: ProbeServer;
before(async () => {
  server = await ProbeServer.open(endpoints);
  await server.ask('POST', 'sys/mounts/plain', { body: { type: 'probe' } });
  await server.ask('POST', 'sys/mounts/probe/tune', { body: { options: { filter_lists: 'true' } } });
});

const LISTS = 'path "+/meta/*" { capabilities = ["list", "scan"] } path "+/open/*" { capabilities = ["list"] }\n';
const grant = (path: string, ...capabilities: readonly string[]): string =>
  `path "probe/${path}" { capabilities = [${capabilities.map((one) => `"${one}"`)}] }\n`;

async function keys(method: string, path: string, token: string): Promise<unknown> {
  const { status, json } = await server.ask(method, path, { token });
  return status === 200 ? member(json, 'data', 'keys') : status;
}

describe('a mount that filters its lists', () => {
  for (const [what, policy, listed, scanned] of [
    ['who may read all', grant('data/*', 'read'), ['a', 'b', 'f/', 'g/', 'h/'], TREE],
    ['who may read one', grant('data/b', 'read'), ['b', 'f/', 'g/', 'h/'], ['b']],
    ['who may read the other of its paths', grant('meta/b', 'read'), ['b', 'f/', 'g/', 'h/'], ['b']],
    ['who may write, not read', grant('data/a', 'create', 'update', 'delete'), ['f/', 'g/', 'h/'], 404],
    ['who may read in a folder', grant('data/g/*', 'read'), ['f/', 'g/', 'h/'], ['g/x']],
    [
      'who is denied one',
      grant('data/*', 'read') + grant('data/f/x', 'deny'),
      ['a', 'b', 'f/', 'g/', 'h/'],
      TREE.filter((n) => n !== 'f/x'),
    ],
  ] as const) {
    test(`shows ${what} what they may read, and the folders that they may list`, async () => {
      const token = await server.tokenWith(LISTS + policy);
      assert.deepEqual(await keys('LIST', 'probe/meta/', token), listed);
      assert.deepEqual(await keys('SCAN', 'probe/meta/', token), scanned);
    });
  }

  test('shows a folder to whom something beneath it is open, and to nobody else', async () => {
    const token = await server.tokenWith(
      grant('meta/', 'list', 'scan') +
        grant('data/h/i/x', 'read') +
        grant('data/f/*', 'deny') +
        grant('data/a', 'read'),
    );
    assert.deepEqual(await keys('LIST', 'probe/meta', token), ['a', 'h/']);
    assert.deepEqual(await keys('SCAN', 'probe/meta', token), ['a', 'h/i/x']);
    assert.equal(await keys('LIST', 'probe/meta/h', token), 403);
  });

  test('shows root all, and who may see nothing what is shown of an empty folder', async () => {
    assert.deepEqual(member((await server.ask('SCAN', 'probe/meta')).json, 'data', 'keys'), TREE);
    const token = await server.tokenWith(LISTS);
    for (const path of ['probe/meta/f', 'probe/meta/many', 'probe/meta/none']) {
      assert.deepEqual(
        await server.ask('LIST', path, { token }),
        await server.ask('LIST', 'probe/meta/none', { token }),
      );
    }
  });

  test('counts what is shown: `limit` and `after` turn pages of it', async () => {
    const token = await server.tokenWith(LISTS + grant('data/many/*', 'read') + grant('data/many/00*', 'deny'));
    const shown = MANY.filter((name) => !name.startsWith('00'));
    assert.deepEqual(await keys('LIST', 'probe/meta/many', token), shown);
    assert.deepEqual(await keys('LIST', 'probe/meta/many?limit=2', token), shown.slice(0, 2));
    assert.deepEqual(await keys('LIST', `probe/meta/many?limit=2&after=${shown[1]}`, token), shown.slice(2, 4));
    assert.deepEqual(await keys('LIST', 'probe/meta/many?after=000001&limit=1', token), shown.slice(0, 1));
  });

  test('finds the one name that is shown behind thousands that are not', async () => {
    for (const name of [MANY[0], MANY[PIECE], MANY.at(-1)]) {
      const token = await server.tokenWith(LISTS + grant(`data/many/${name}`, 'read'));
      assert.deepEqual(await keys('LIST', 'probe/meta/many', token), [name]);
      assert.deepEqual(await keys('GET', 'probe/meta/many?list=true&limit=1', token), [name]);
    }
  });

  test('says nothing of lists whose entries stand for nothing; other mounts show all', async () => {
    const token = await server.tokenWith(LISTS);
    assert.deepEqual(await keys('LIST', 'probe/open/f', token), ['x', 'y']);
    assert.deepEqual(await keys('LIST', 'plain/meta/f', token), ['x', 'y']);
  });

  test('does no more once the option is false or gone', async () => {
    const token = await server.tokenWith(LISTS);
    for (const value of ['false', '']) {
      await server.ask('POST', 'sys/mounts/probe/tune', { body: { options: { filter_lists: 'true' } } });
      assert.equal(await keys('LIST', 'probe/meta/f', token), 404);
      await server.ask('POST', 'sys/mounts/probe/tune', { body: { options: { filter_lists: value } } });
      assert.deepEqual(await keys('LIST', 'probe/meta/f', token), ['x', 'y']);
    }
    await server.ask('POST', 'sys/mounts/probe/tune', { body: { options: { filter_lists: 'true' } } });
  });
});

test('a name is visible by any of its paths: to read it, or to list it where it is a folder', () => {
  const asked: string[] = [];
  const acl = {
    allows: (capability: string, path: string): boolean => {
      asked.push(`${capability} ${path}`);
      return path.startsWith('yes/');
    },
  };
  const visible = visibleNames(acl, (name) => [`no/${name}`, `yes/${name}`]);
  assert.ok(visible('a') && visible('f/'));
  assert.deepEqual(asked, ['read no/a', 'read yes/a', 'list no/f/', 'list yes/f/']);
  assert.ok(!visibleNames(acl, (name) => [`no/${name}`])('a'));
  assert.ok(!visibleNames(acl, () => [])('a'));
  assert.ok(visibleNames(ROOT_ACL, (name) => [name])('f/'));
});
