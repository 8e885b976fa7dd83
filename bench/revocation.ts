// The end of many tokens by their path: how long that takes to be answered, whether any of them is honoured afterwards by another
// worker, how long a stored job takes to remove them, and what those who read secrets notice meanwhile.
//
//   node dist/bench/revocation.js [--tokens 10000] [--store lmdb|postgres]
//
// The figures are of --tokens 100000. Linux only.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startDatabase } from '../src/storage/postgres/testing/server.ts';
import { at, ROOT } from '../test/faults/client.ts';
import { Random } from '../test/faults/random.ts';
import { ServerNode } from '../test/histories/nodes/server-node.ts';
import { machine, median, quantile, table } from './figures.ts';
import { fill, opener, putTokenAt, tokenOf } from './fill-tokens.ts';
import { readsOf } from './steady-reads.ts';

const CHECKED = 500;
const PATH = 'auth/token/create/crowd';

const { values } = parseArgs({
  options: { tokens: { type: 'string', default: '10000' }, store: { type: 'string', default: 'lmdb' } },
});
const tokens = Number(values.tokens);
if (!Number.isSafeInteger(tokens) || tokens < 1 || !/^(lmdb|postgres)$/.test(values.store))
  throw new Error('--tokens: a positive integer; --store: lmdb or postgres');

const folder = mkdtempSync(join(tmpdir(), 'keyhold-revocation-'));
const database = values.store === 'postgres' ? await startDatabase() : undefined;
const data = join(folder, 'data');
const flags = ['--dev', '--dev-root-token-id', ROOT, '--data', data, '--storage', values.store, '--workers', '2'];
const environment: Readonly<Record<string, string>> =
  database === undefined ? {} : { KEYHOLD_POSTGRES_URL: database.url };
const node = new ServerNode({ program: new URL('../', import.meta.url).pathname, flags, environment, wire: undefined });
const open = opener(data, database?.url);

/** The status of one request; `token` as root where none is named. */
const ask = async (method: string, path: string, token = ROOT, body?: unknown): Promise<number> =>
  (await node.send({ method, path, token, ...(body === undefined ? {} : { body }) })).status;

try {
  await node.start();
  const { json } = await node.send({ method: 'GET', path: 'sys/auth/token', token: ROOT });
  const origin = { mount: String(at(json, 'data', 'uuid')), path: 'create/crowd' };
  await node.kill();
  await fill(
    await open(),
    data,
    tokens,
    putTokenAt(origin, (_, now) => now + 24 * 3_600_000),
  );
  await node.start();
  await ask('POST', 'secret/data/read', ROOT, { data: { value: 'x'.repeat(1_000) } });
  let over = false;
  await pause(2_000);
  const began = performance.now();
  const calm = await readsOf(node, () => performance.now() > began + 5_000);
  const asked = performance.now();
  const status = await ask('PUT', `sys/leases/revoke-prefix/${PATH}`, ROOT, {});
  const answered = performance.now() - asked;
  const random = new Random(tokens);
  const some = Array.from({ length: CHECKED }, () => tokenOf(random.below(tokens)));
  const statuses = await Promise.all(some.map((token) => ask('GET', 'auth/token/lookup-self', token)));
  const busy = readsOf(node, () => over);
  const honoured = statuses.filter((found) => found !== 403).length;
  while ((await ask('LIST', `sys/leases/lookup/${PATH}`)) !== 404) await pause(200);
  const seconds = (performance.now() - asked) / 1_000;
  over = true;
  const [before, meanwhile] = [quantile(calm, 0.99), quantile(await busy, 0.99)];
  console.log(
    table([
      ['', ''],
      [`revoke-prefix of ${tokens} tokens, ${values.store}`, `${status} after ${answered.toFixed(0)} ms`],
      [
        `of ${CHECKED} asked for at once over two workers`,
        `${honoured} honoured: ${honoured === 0 ? 'kept' : 'MISSED'}`,
      ],
      ['all removed', `after ${seconds.toFixed(1)} s, ${(tokens / seconds).toFixed(0)}/s`],
      ['reads of a secret before: median / 99 %', `${median(calm).toFixed(2)} / ${before.toFixed(2)} ms`],
      ['reads meanwhile', `${median(await busy).toFixed(2)} / ${meanwhile.toFixed(2)} ms`],
    ]),
  );
  console.log(`\n${machine()}`);
} finally {
  await node.kill();
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
}
