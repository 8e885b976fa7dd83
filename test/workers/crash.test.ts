// Bad days of workers: killed, stopped, unable to start, left without their supervisor. The server goes on.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { MAIN, type ServerProcess, scratchFolder } from '../../src/cli/testing.ts';
import { lmdbStore } from '../../src/storage/lmdb.ts';
import { descriptorsOf, LINUX, Line, oneToEach, ROOT, renewed, runs, start, until } from './support.ts';

/** Clients that write without pause, each to keys of its own, over a new connection where theirs has ended. */
class Writers {
  /** By key, the last number that was acknowledged. */
  readonly acknowledged = new Map<string, number>();
  readonly statuses = new Set<number>();
  #over = false;
  readonly #work: Promise<unknown>;

  constructor(server: ServerProcess, count: number) {
    this.#work = Promise.all(Array.from({ length: count }, (_, i) => this.#write(server, `w${i}`)));
  }

  async #write(server: ServerProcess, key: string): Promise<void> {
    let line: Line | undefined;
    for (let number = 1; !this.#over; number++) {
      try {
        line ??= await Line.open(server);
        const { status } = await line.send('POST', `secret/data/${key}`, { data: { number } });
        this.statuses.add(status);
        if (status === 200) this.acknowledged.set(key, number);
      } catch {
        if (!runs(server.pid)) return;
        line = undefined;
      }
    }
    line?.close();
  }

  get total(): number {
    return [...this.acknowledged.values()].reduce((sum, number) => sum + number, 0);
  }

  /** Each writer has been acknowledged something new. */
  async progress(): Promise<void> {
    const before = new Map(this.acknowledged);
    await until('each writer goes on', () =>
      [...before].every(([key, number]) => (this.acknowledged.get(key) ?? 0) > number),
    );
  }

  /** Stops; nothing that was acknowledged is lost. */
  async finish(server: ServerProcess): Promise<void> {
    this.#over = true;
    await this.#work;
    const line = await Line.open(server);
    for (const [key, number] of this.acknowledged) {
      const { status, json } = await line.send('GET', `secret/data/${key}`);
      assert.equal(status, 200);
      const stored = Number(/"number":(\d+)/.exec(JSON.stringify(json))?.[1]);
      assert.ok(stored >= number, `${key} is ${stored}, and ${number} was acknowledged`);
    }
    line.close();
    assert.ok(
      [...this.statuses].every((status) => status === 200 || status === 503),
      String([...this.statuses]),
    );
  }
}

async function writing(server: ServerProcess, count = 8): Promise<Writers> {
  const writers = new Writers(server, count);
  await until('all write', () => writers.acknowledged.size === count);
  return writers;
}

const kill = (pid: number, signal: NodeJS.Signals): boolean => process.kill(pid, signal);

describe('workers on bad days', { ...LINUX, concurrency: 4, timeout: 100_000 }, () => {
  test('a worker that is stopped while it writes is ended after five seconds, and whoever waits for its lock goes on', async () => {
    const server = await start(3);
    const writers = await writing(server, 12);
    const victims: number[] = [];
    // Often enough that one of them holds the lock of the store: then nobody writes until it is ended.
    for (let i = 0; i < 2; i++) {
      await pause(37 * (i + 1));
      const victim = server.workers().find((pid) => !victims.includes(pid)) ?? 0;
      victims.push(victim);
      kill(victim, 'SIGSTOP');
    }
    await until('they are ended', () => !victims.some(runs));
    await renewed(server, 3, victims);
    await writers.progress();
    assert.match(server.err(), /a worker does not answer and is ended/);
    await writers.finish(server);
    assert.equal((await server.stop()).code, 0);
  });

  test('a worker that is stopped for two seconds goes on; a request to it is answered', async () => {
    const server = await start(2);
    const workers = server.workers();
    const [line = assert.fail()] = [...(await oneToEach(server)).values()];
    const victim = line.servedBy(workers) ?? 0;
    kill(victim, 'SIGSTOP');
    const answer = line.send('GET', 'secret/config');
    await pause(2_000);
    kill(victim, 'SIGCONT');
    assert.equal((await answer).status, 200);
    await pause(1_500);
    assert.deepEqual(server.workers(), workers);
    assert.equal((await server.stop()).code, 0);
  });

  test('killed one by one and all at once, in the middle of writes: replaced, open, nothing lost', async () => {
    const server = await start(3);
    const writers = await writing(server);
    const first = server.workers();
    const [victim = 0, ...others] = first;
    const lines = await oneToEach(server);
    kill(victim, 'SIGKILL');
    for (const pid of others) assert.equal((await lines.get(pid)?.send('GET', 'secret/config'))?.status, 200);
    await until(
      'it is replaced',
      () => server.workers().filter((pid) => runs(pid) && !others.includes(pid)).length === 1,
    );
    await writers.progress();
    const second = server.workers();
    for (const pid of second) kill(pid, 'SIGKILL');
    await renewed(server, 3, second);
    await writers.progress();
    await writers.finish(server);
    const gone = [...first, ...second].filter((pid) => !server.workers().includes(pid));
    assert.ok(!gone.some(runs));
    assert.deepEqual((await server.stop()).code, 0);
  });

  test('connections that were on their way to a killed worker are cut or served, never left hanging', async () => {
    const server = await start(2);
    const silent: Line[] = [];
    await Line.open(server).then((line) => line.close());
    const earlier = sockets(server.pid);
    for (let round = 0; round < 3; round++) {
      const [victim = 0] = server.workers();
      const lines = [...(await Line.many(server, 20))];
      const more = Line.many(server, 60);
      kill(victim, 'SIGKILL');
      lines.push(...(await more), ...(await Line.many(server, 20)));
      silent.push(...lines);
      const ends = await Promise.all(
        lines.map((line) =>
          line.send('GET', 'sys/health').then(
            ({ status }) => status,
            () => 0,
          ),
        ),
      );
      assert.ok(
        ends.every((status) => status === 200 || status === 0),
        String(ends),
      );
      assert.ok(ends.filter((status) => status === 200).length >= 20, 'those that came later');
      await until('two serve', () => server.workers().filter(runs).length === 2);
    }
    for (const line of silent) line.close();
    await until('none stays with the supervisor', () => sockets(server.pid) <= earlier + 1);
    await server.stop();
  });

  test('workers that cannot start are tried again, more and more seldom, until they can', async () => {
    const data = scratchFolder();
    const server = await start(2, ['--dev', '--dev-root-token-id', ROOT], data);
    const [store, aside] = [join(data, 'store'), join(data, 'aside')];
    renameSync(store, aside);
    writeFileSync(store, 'no folder');
    const old = server.workers();
    for (const pid of old) kill(pid, 'SIGKILL');

    const count = (text: string): number => server.err().split(text).length - 1;
    await until('the supervisor knows', () => count('a worker ended and is replaced') === old.length);
    await until('some tries', () => count('and is tried again') >= 4);
    assert.match(server.err(), /"reason":"[^"]*(store|folder)[^"]*"/);
    assert.ok(count('and is tried again') < 30, 'not at once');
    renameSync(store, join(data, 'wrong'));
    renameSync(aside, store);

    await until('both serve', async () => server.workers().length === 2 && (await oneToEach(server)).size === 2);
    assert.equal((await server.stop()).code, 0);
  });

  test('a supervisor that is killed leaves no process behind, also while it starts', async () => {
    const mark = randomUUID();
    const environment = { MARK: mark };
    const server = await start(3, [], undefined, environment);
    const writers = await writing(server, 4);
    assert.equal(marked(mark).length, 4);
    await server.stop('SIGKILL');
    await until('no process is left', () => marked(mark).length === 0, 10_000);
    assert.ok(writers.total > 0);
    for (const millis of [0, 40, 80, 120, 160]) {
      const flags = ['server', '--listen', '127.0.0.1:0', '--workers', '3', '--data', scratchFolder()];
      const child = spawn(process.execPath, [MAIN, ...flags], {
        stdio: 'ignore',
        env: { ...process.env, ...environment },
      });
      await until('workers are being started', () => marked(mark).length > 1);
      await pause(millis);
      child.kill('SIGKILL');
      await until('no process is left', () => marked(mark).length === 0, 10_000);
    }
  });

  test('a log that nobody reads any more ends nobody', async () => {
    const data = scratchFolder();
    const server = await start(2, ['--dev', '--dev-root-token-id', ROOT], data);
    const workers = server.workers();
    const lines = [...(await oneToEach(server)).values()];
    for (const line of lines) await line.send('POST', 'secret/data/broken', { data: { a: 1 } });
    const store = lmdbStore(join(data, 'store'));
    await store.transact(async (tx) => {
      for (const { key, value } of await tx.range({ start: '', end: '\u{10ffff}', limit: 1_000 })) {
        if (key.endsWith('broken')) tx.put(key, Buffer.alloc(value.length, 1));
      }
    });
    await store.close();
    server.deafen();
    for (const line of [...lines, ...lines]) assert.equal((await line.send('GET', 'secret/data/broken')).status, 500);
    await pause(100);
    assert.deepEqual(server.workers(), workers);
    for (const line of lines) assert.equal((await line.send('GET', 'secret/config')).status, 200);
    server.signal('SIGTERM');
    await until('it ends', () => ![server.pid, ...workers].some(runs));
  });
});

/** Processes with this variable in their environment. */
const marked = (mark: string): readonly number[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      const has = /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'latin1').includes(`MARK=${mark}`);
      return has && runs(Number(name)) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

const sockets = (pid: number): number => descriptorsOf(pid).filter((name) => name.startsWith('socket:')).length;
