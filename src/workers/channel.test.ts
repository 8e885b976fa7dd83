import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { Failure } from '../failure.ts';
import { ServiceError } from '../framework/errors.ts';
import { Channel, Gone, type Port } from './channel.ts';

interface Theirs {
  echo(value: unknown): Promise<unknown>;
  note(value: number): void;
  fail(kind: string): Promise<never>;
  never(_: undefined): Promise<void>;
}

/** Two ends that hand messages over as processes do: copied, in order, later. */
function ends(): { readonly here: Port & EventEmitter; readonly there: Port & EventEmitter; cut(): void } {
  let whole = true;
  const make = (other: () => EventEmitter): Port & EventEmitter =>
    Object.assign(new EventEmitter(), {
      send(message: object, done: (error: Error | null) => void): boolean {
        const copy: unknown = deserialize(serialize(message));
        setImmediate(() => {
          if (whole) other().emit('message', copy);
          done(whole ? null : new Error('closed'));
        });
        return whole;
      },
    });
  const here: Port & EventEmitter = make(() => there);
  const there: Port & EventEmitter = make(() => here);
  const cut = (): void => {
    whole = false;
    for (const end of [here, there]) end.emit('disconnect');
  };
  return { here, there, cut };
}

function pair(): { channel: Channel<Theirs>; noted: number[]; cut(): void; here: EventEmitter } {
  const { here, there, cut } = ends();
  const noted: number[] = [];
  const errors = new Map<string, unknown>([
    ['service', new ServiceError(429, ['wait', 'then again'], [['Retry-After', '7']])],
    ['failure', new Failure('no such file', 2)],
    ['fault', new TypeError('our own')],
    ['thing', 'a text'],
  ]);
  new Channel(there, {
    echo: async (value: unknown) => value,
    note: (value: number) => void noted.push(value),
    fail: async (kind: string) => {
      throw errors.get(kind);
    },
    never: () => new Promise(() => {}),
  });
  return { channel: new Channel<Theirs>(here, {}), noted, cut, here };
}

test('a call is answered with what the other end gives, bytes as bytes', async () => {
  const { channel } = pair();
  const value = { record: { root: Buffer.from([0, 1, 255]) }, none: undefined, text: 'é' };
  assert.deepEqual(await channel.call('echo', value), value);
  assert.equal(await channel.call('echo', undefined), undefined);
});

test('calls arrive in the order in which they were made, and answers find their own', async () => {
  const { channel, noted } = pair();
  const order = Array.from({ length: 100 }, (_, i) => i);
  const answers = order.flatMap((i) => [channel.call('note', i), channel.call('echo', i)]);
  assert.deepEqual(
    (await Promise.all(answers)).filter((answer) => answer !== undefined),
    order,
  );
  assert.deepEqual(noted, order);
});

test('an error of the other end is the same error here', async () => {
  const { channel } = pair();
  const thrown = async (kind: string): Promise<unknown> => {
    try {
      return await channel.call('fail', kind);
    } catch (error) {
      return error;
    }
  };
  const service = await thrown('service');
  assert.ok(service instanceof ServiceError);
  assert.deepEqual([service.status, service.errors], [429, ['wait', 'then again']]);
  assert.deepEqual(service.headers, [['Retry-After', '7']]);
  const failure = await thrown('failure');
  assert.ok(failure instanceof Failure);
  assert.deepEqual([failure.message, failure.exitCode], ['no such file', 2]);
  const fault = await thrown('fault');
  assert.ok(fault instanceof Error && !(fault instanceof Failure) && !(fault instanceof ServiceError));
  assert.match(fault.stack ?? '', /^TypeError: our own\n.*channel\.test/s, 'where it was thrown');
  assert.match(String(await thrown('thing')), /a text/);
});

test('a call that the other end does not know is an error, the members of objects are none', async () => {
  const { here, there } = ends();
  new Channel(there, {});
  const channel = new Channel<Record<string, (value: number) => void>>(here, {});
  for (const name of ['other', 'toString', 'constructor', '__proto__']) {
    await assert.rejects(channel.call(name, 1), new RegExp(`there is no call ${name}`));
  }
});

test('what waits when the other end goes is rejected, and so is what is asked later', async () => {
  const { channel, cut } = pair();
  const waiting = [channel.call('never', undefined), channel.call('never', undefined)];
  const settled = Promise.allSettled(waiting);
  await channel.call('echo', 1);
  cut();
  for (const one of await settled) assert.ok(one.status === 'rejected' && one.reason instanceof Gone);
  await assert.rejects(channel.call('echo', 2), Gone);
});

test('a process without a channel answers nothing', async () => {
  await assert.rejects(new Channel<Theirs>(new EventEmitter(), {}).call('echo', 1), Gone);
});

test('other messages, and answers to what nobody asked, are let pass', async () => {
  const { channel, here } = pair();
  for (const message of ['connection', null, 7, {}, { answer: 99, value: 1 }, { answer: 1 }])
    here.emit('message', message);
  assert.equal(await channel.call('echo', 'still'), 'still');
});
