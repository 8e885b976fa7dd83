import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { dial } from '../../test/http/wire.ts';
import { scratchFolder } from '../cli/testing.ts';
import { configOf } from '../config.ts';
import { Failure } from '../failure.ts';
import type { SupervisorCalls } from './protocol.ts';
import { WorkerProcess } from './worker-process.ts';

const never = async (): Promise<never> => assert.fail('is not asked');
const progress = async () => ({ count: 0, nonce: '' });
const calls: SupervisorCalls = { submit: never, reset: never, progress, opened: never, sealed: never };

const made: WorkerProcess[] = [];
after(() => {
  for (const worker of made) worker.kill();
});

function make(): WorkerProcess {
  const worker = new WorkerProcess(() => calls);
  made.push(worker);
  return worker;
}

const order = { logFormat: 'json', first: false, rootKey: () => undefined } as const;
const config = () => configOf({ data: scratchFolder() });

test('one that has not been told to start ends at once when it is told to stop', async () => {
  const worker = make();
  await worker.stop({ graceMillis: 60_000, idleMillis: 0 });
  assert.equal(await worker.ended, 0);
  await assert.rejects(worker.start({ ...order, config: config() }), /ended while it started/);
});

test('one that dies while it starts is told with how it ended', async () => {
  const worker = make();
  const start = worker.start({ ...order, config: config() });
  worker.kill();
  const error = await start.then(
    () => assert.fail('it started'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Failure);
  assert.equal(error.message, 'a process of the server ended while it started: SIGKILL');
});

test('one whose configuration does not do says why', async () => {
  const missing = configOf({ data: scratchFolder(), sealKeyFile: '/nowhere/seal.key' });
  const error = await make()
    .start({ ...order, first: true, config: missing })
    .then(
      () => assert.fail('it started'),
      (reason: unknown) => reason,
    );
  assert.ok(error instanceof Failure);
  assert.match(error.message, /^seal_key_file: /);
});

test('it counts what it was given, says that it lives, is trusted with what it was told, and refuses once it is gone', async () => {
  const worker = make();
  assert.deepEqual(await worker.start({ ...order, config: config() }), {
    initialized: false,
    sealed: true,
    development: undefined,
  });
  assert.equal(worker.trusted, false);
  const envelope = await worker.wrap(Buffer.alloc(32));
  assert.equal(worker.trusted, true);
  await assert.rejects(worker.unwrap(envelope.subarray(1)));

  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const clients: Socket[] = [];
  const give = async (refused: () => void = assert.fail): Promise<Socket> => {
    const arrived = once(server, 'connection');
    clients.push(await dial(`127.0.0.1:${port}`));
    const [socket] = await arrived;
    worker.take(socket, refused);
    return socket;
  };
  const open = [await give(), await give(), await give()];
  assert.equal(worker.load, 3);
  assert.equal(worker.beat(), 0);
  const answered = async (): Promise<void> => {
    do await pause(20);
    while (worker.beat() > 0);
  };
  await answered();
  assert.equal(worker.load, 3, 'also where it was counted there');
  assert.ok(
    open.every(({ destroyed }) => destroyed),
    'its own copy is closed here',
  );
  for (const client of clients.splice(0)) client.destroy();
  for (; worker.load > 0; await pause(20)) worker.beat();

  process.kill(worker.pid, 'SIGSTOP');
  while (!worker.stopped()) await pause(5);
  for (let missed = 0; missed < 2; ) missed = worker.beat();
  assert.equal(worker.load, Number.POSITIVE_INFINITY);
  worker.excuse();
  assert.equal(worker.beat(), 1);

  let refused = 0;
  // It takes no more than the channel holds: the others are refused when it is gone.
  const waiting: Socket[] = [];
  while (waiting.length < 20) waiting.push(await give(() => void refused++));
  worker.kill();
  assert.equal(await worker.ended, 'SIGKILL');
  await pause(10);
  assert.ok(refused > 10, `${refused} go elsewhere`);
  const later = await give(() => void refused++);
  assert.equal(later.destroyed, false);
  await assert.rejects(
    worker.wrap(Buffer.alloc(1)).then(() => worker.start({ ...order, config: config() })),
    /ended while/,
  );
  for (const socket of [...waiting, later, ...clients]) socket.destroy();
  server.close();
});
