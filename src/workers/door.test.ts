import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { dial, received } from '../../test/http/wire.ts';
import { Door, type Taker } from './door.ts';

/** Takes connections, or refuses them; what it took can be looked at. */
class Process implements Taker {
  readonly taken: Socket[] = [];
  /** On top of what it took. */
  base = 0;
  refuses: 'no' | 'now' | 'later' = 'no';
  asked = 0;
  #waits: (() => void)[] = [];

  get load(): number {
    return this.base + this.taken.length;
  }

  take(socket: Socket, refused: () => void): void {
    this.asked += 1;
    if (this.refuses === 'now') return void refused();
    if (this.refuses === 'later') return void setImmediate(refused);
    this.taken.push(socket);
    for (const done of this.#waits.splice(0)) done();
  }

  async has(count: number): Promise<void> {
    while (this.taken.length < count) await new Promise<void>((resolve) => this.#waits.push(resolve));
  }
}

const doors: Door[] = [];
const sockets: Socket[] = [];
after(() => {
  for (const door of doors) door.close();
  for (const socket of sockets) socket.destroy();
});

async function open(...takers: readonly Process[]): Promise<Door> {
  const door = new Door();
  doors.push(door);
  await door.listen('127.0.0.1', 0);
  door.admit(takers);
  return door;
}

async function clients(door: Door, count: number): Promise<readonly Socket[]> {
  const dialled = await Promise.all(Array.from({ length: count }, () => dial(door.address)));
  sockets.push(...dialled);
  return dialled;
}

test('each connection goes to whoever has the fewest', async () => {
  const [one, two, three] = [new Process(), new Process(), new Process()];
  two.base = 3;
  three.base = Number.POSITIVE_INFINITY;
  const door = await open(one, two, three);
  await clients(door, 9);
  await Promise.all([one.has(6), two.has(3)]);
  assert.deepEqual(
    [one, two, three].map(({ taken }) => taken.length),
    [6, 3, 0],
  );
  door.dismiss(one);
  await clients(door, 2);
  await two.has(5);
  assert.equal(one.taken.length, 6);
});

test('where none answers, one of them gets it all the same', async () => {
  const process = new Process();
  process.base = Number.POSITIVE_INFINITY;
  const door = await open(process);
  await clients(door, 1);
  await process.has(1);
});

for (const refuses of ['now', 'later'] as const) {
  test(`who refuses a connection ${refuses} gets no other, and the connection goes elsewhere`, async () => {
    const [gone, other] = [new Process(), new Process()];
    gone.refuses = refuses;
    other.base = 100;
    const door = await open(gone, other);
    await clients(door, 1);
    await other.has(1);
    await clients(door, 3);
    await other.has(4);
    assert.equal(gone.asked, 1);
    other.refuses = refuses;
    await clients(door, 1);
    const last = new Process();
    door.admit([last]);
    await last.has(1);
  });
}

test('while nobody serves connections wait; then they are spread over all who do, with what was sent meanwhile', async () => {
  const door = await open();
  const dialled = await clients(door, 6);
  for (const client of dialled) client.write('hello');
  const [one, two] = [new Process(), new Process()];
  door.admit([one, two]);
  await Promise.all([one.has(3), two.has(3)]);
  for (const socket of [...one.taken, ...two.taken]) {
    assert.equal(socket.bytesRead, 0, 'the door reads nothing');
    socket.resume();
    const [sent] = await once(socket, 'data');
    assert.equal(String(sent), 'hello');
  }
});

test('a client that leaves while it waits is handed over as it is: gone', async () => {
  const door = await open();
  const [leaver, stayer] = await clients(door, 2);
  leaver?.destroy();
  stayer?.end('half-open');
  const process = new Process();
  door.admit([process]);
  await process.has(2);
  const ends = process.taken.map(async (socket) => {
    let text = '';
    socket.on('data', (piece) => {
      text += String(piece);
    });
    socket.resume();
    await once(socket, 'end');
    assert.ok(socket.writable, 'the client has ended its side only');
    socket.end('answer');
    return text;
  });
  assert.deepEqual((await Promise.all(ends)).sort(), ['', 'half-open']);
  assert.equal(await received(stayer ?? assert.fail()), 'answer');
});

test('a client that cuts the connection while it waits harms nobody', async () => {
  const door = await open();
  const [cutter] = await clients(door, 1);
  cutter?.resetAndDestroy();
  const process = new Process();
  door.admit([process]);
  await clients(door, 1);
  await process.has(1);
});

test('no more wait than may', async () => {
  const door = new Door({ most: 3, millis: 10_000 });
  doors.push(door);
  await door.listen('127.0.0.1', 0);
  const waiting = await clients(door, 3);
  const more = connect({ host: '127.0.0.1', port: portOf(door) }).on('error', () => {});
  await once(more, 'close');
  const process = new Process();
  door.admit([process]);
  await process.has(3);
  assert.ok(waiting.every((client) => !client.destroyed));
});

test('who waits in vain is cut; who is handed over in time is not, however long it is silent then', async () => {
  const door = new Door({ most: 10, millis: 60 });
  doors.push(door);
  await door.listen('127.0.0.1', 0);
  const [socket] = await clients(door, 1);
  assert.ok(socket !== undefined);
  socket.on('error', () => {});
  await once(socket, 'close');

  const patient = await open();
  await clients(patient, 1);
  const served = new Process();
  patient.admit([served]);
  await served.has(1);
  assert.deepEqual([served.taken[0]?.timeout, served.taken[0]?.listenerCount('timeout')], [0, 0]);
});

test('closing accepts nothing more, and cuts who waits, not who was handed over', async () => {
  const process = new Process();
  const door = await open(process);
  const [served] = await clients(door, 1);
  await process.has(1);
  door.dismiss(process);
  const [waiting = assert.fail()] = await clients(door, 1);
  const cut = received(waiting);
  door.close();
  door.close();
  assert.equal(await cut, '');
  await assert.rejects(dial(door.address), /ECONNREFUSED/);
  assert.equal(served?.destroyed, false);
});

test('an address that is taken, or not of this machine, is told', async () => {
  const first = await open();
  await assert.rejects(new Door().listen('127.0.0.1', portOf(first)), /EADDRINUSE/);
  await assert.rejects(new Door().listen('192.0.2.1', 1), /EADDRNOTAVAIL/);
});

const portOf = (door: Door): number => Number(door.address.split(':')[1]);
