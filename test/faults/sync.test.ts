import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Call, HttpClient } from './client.ts';
import { live } from './life.ts';
import { judge, TRACED_CALLS, type Traced } from './trace.ts';

const MERGE_PATCH = 'application/merge-patch+json';
const COUNTED = 'counted-token';

/** One of each kind of request that is answered after a sync; the last ones spend what a counted token has. */
const SEQUENCE: readonly (readonly [status: number, call: Call])[] = [
  [200, { method: 'POST', path: 'secret/data/a', body: { data: { a: 1 } } }],
  [200, { method: 'PUT', path: 'secret/data/a', body: { data: { a: 2 }, options: { cas: 1 } } }],
  [200, { method: 'PATCH', path: 'secret/data/a', body: { data: { b: 1 } }, contentType: MERGE_PATCH }],
  [204, { method: 'DELETE', path: 'secret/data/a' }],
  [204, { method: 'POST', path: 'secret/undelete/a', body: { versions: [3] } }],
  [204, { method: 'PUT', path: 'secret/destroy/a', body: { versions: [1] } }],
  [204, { method: 'POST', path: 'secret/metadata/a', body: { max_versions: 2 } }],
  [204, { method: 'DELETE', path: 'secret/metadata/a' }],
  [
    204,
    { method: 'POST', path: 'sys/policies/acl/p', body: { policy: 'path "secret/*" { capabilities = ["read"] }' } },
  ],
  [204, { method: 'POST', path: 'sys/mounts/m', body: { type: 'kv', options: { version: '2' } } }],
  [200, { method: 'POST', path: 'auth/token/create', body: { id: 'parent', policies: ['p'] } }],
  [204, { method: 'POST', path: 'auth/token/revoke', body: { token: 'parent' } }],
  [200, { method: 'POST', path: 'auth/token/create', body: { id: COUNTED, policies: ['p'], num_uses: 3 } }],
  [200, { method: 'GET', path: 'auth/token/lookup-self', token: COUNTED }],
  [404, { method: 'GET', path: 'secret/data/none', token: COUNTED }],
  [403, { method: 'POST', path: 'secret/data/none', token: COUNTED, body: { data: {} } }],
  [204, { method: 'DELETE', path: 'sys/mounts/m' }],
];

const CLIENTS = 8;
const WRITES_EACH = 12;

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

test('the answer to whatever changes something is sent after the sync of it', {
  skip: canTrace ? false : 'strace is missing or may not trace',
  timeout: 120_000,
}, async () => {
  const { early, exchanges, commits } = await trace(async (client) => {
    for (const [status, call] of SEQUENCE) {
      assert.equal((await client.send(call)).status, status, `${call.method} ${call.path}`);
    }
    const writers = Array.from({ length: CLIENTS }, async (_, i) => {
      for (let n = 0; n < WRITES_EACH; n++) {
        const call = { method: 'POST', path: `secret/data/${i}/${n}`, body: { data: { n } } };
        assert.equal((await client.send(call)).status, 200);
      }
    });
    await Promise.all(writers);
    assert.equal((await client.send({ method: 'GET', path: 'secret/data/0/0' })).status, 200);
  });
  assert.equal(exchanges.length, SEQUENCE.length + CLIENTS * WRITES_EACH + 1, 'requests and answers in the trace');
  assert.deepEqual(early, []);
  assert.ok(commits < exchanges.length, `${commits} commits for ${exchanges.length} answers: none was shared`);
});

/** Traces a server while `use` makes its requests. */
async function trace(use: (client: HttpClient) => Promise<void>): Promise<Traced> {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-sync-'));
  const file = join(folder, 'trace');
  try {
    const under = ['strace', '--seccomp-bpf', '-f', '-y', '-s', '80', '-o', file, '-e', `trace=${TRACED_CALLS}`];
    const life = await live(join(folder, 'data'), { under });
    const client = new HttpClient(life.url);
    await use(client);
    client.close();
    await life.end('SIGTERM');
    return judge(readFileSync(file, 'utf8'), (request) => request === 'GET /v1/secret/data/0/0');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const OPENED = '7  openat(AT_FDCWD</d>, "/d/data.mdb", O_WRONLY|O_DSYNC|O_CLOEXEC) = 23</d/data.mdb>';
const READ = '7  read(26<socket:[5]>, "POST /v1/secret/data/x HTTP/1.1"..., 65536) = 212';
const PAGES = '8  writev(22</d/data.mdb>, [{iov_base="\\6\\0"..., iov_len=4096}], 1) = 4096';
const SYNC = '8  fdatasync(22</d/data.mdb>) = 0';
const META = '8  pwrite64(23</d/data.mdb>, "\\0\\0"..., 128, 40) = 128';
const ANSWER = '7  write(26<socket:[5]>, "HTTP/1.1 200 OK"..., 509) = 509';
const SYNC_BEGUN = '8  fdatasync(22</d/data.mdb> <unfinished ...>';
const SYNC_ENDED = '8  <... fdatasync resumed>) = 0';

const READ_BEGUN = '7  read(26<socket:[5]>,  <unfinished ...>';
const READ_ENDED = '7  <... read resumed>"POST /v1/secret/data/x HTTP/1.1"..., 65536) = 212';

for (const [early, what, ...lines] of [
  [0, 'a commit after the request and before the answer', READ, PAGES, SYNC, META, ANSWER],
  [
    0,
    'the same, a thread interrupting it',
    READ,
    PAGES,
    SYNC_BEGUN,
    '9  read(3</x>, "", 1) = 0',
    SYNC_ENDED,
    META,
    ANSWER,
  ],
  [1, 'a commit that began while the request was being read', READ_BEGUN, PAGES, READ_ENDED, SYNC, META, ANSWER],
  [1, 'an answer before all', READ, ANSWER, PAGES, SYNC, META],
  [1, 'an answer before the sync', READ, PAGES, ANSWER, SYNC, META],
  [1, 'an answer before the page that counts', READ, PAGES, SYNC, ANSWER, META],
  [1, 'an answer before the sync ended', READ, PAGES, SYNC_BEGUN, META, ANSWER, SYNC_ENDED],
  [1, 'a commit that began before the request', PAGES, READ, SYNC, META, ANSWER],
  [1, 'no sync', READ, PAGES, META, ANSWER],
  [1, 'a sync that failed', READ, PAGES, SYNC.replace('= 0', '= -1 EIO'), META, ANSWER],
  [1, 'a sync before the pages', READ, SYNC, PAGES, META, ANSWER],
  [1, 'a sync of another file', READ, PAGES, SYNC.replace('data', 'other'), META, ANSWER],
] as const) {
  test(`${early === 0 ? 'passes' : 'is found'} in a trace: ${what}`, () => {
    const judged = judge([OPENED, ...lines].join('\n'), () => false);
    assert.equal(judged.exchanges.length, 1);
    assert.equal(judged.early.length, early);
  });
}
