import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unavailable } from '../framework/errors.ts';
import { Clock } from './clock.ts';
import { Inbox } from './inbox.ts';
import { errorReply, ReplyHeads, STANDARD_HEADERS } from './reply.ts';

const heads = new ReplyHeads(new Clock(500), STANDARD_HEADERS);

test('heads by kind of body and persistence', () => {
  assert.match(
    heads.head({ status: 200 }, 5, ''),
    /^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json\r\n.*Content-Length: 5\r\n\r\n$/s,
  );
  assert.match(
    heads.head({ status: 472 }, 0, 'Connection: close\r\n'),
    /^HTTP\/1\.1 472 \r\n.*Content-Length: 0\r\nConnection: close\r\n\r\n$/s,
  );
  assert.match(heads.head({ status: 200 }, 'chunked', ''), /Transfer-Encoding: chunked\r\n\r\n$/);
  assert.doesNotMatch(heads.head({ status: 200 }, 'to-end', ''), /Transfer-Encoding|Content-Length/);
  for (const status of [204, 304]) assert.doesNotMatch(heads.head({ status }, 0, ''), /Content-Length|Content-Type:/);
});

test('what cannot be sent throws', () => {
  for (const status of [0, 100, 199, 600, 200.5, Number.NaN])
    assert.throws(() => heads.head({ status }, 0, ''), TypeError);
  for (const header of [
    ['A', 'b\n'],
    ['A', '\0'],
    ['A', 'é'],
    ['A', '\x7f'],
    ['', 'b'],
    ['A b', 'c'],
    ['A:', 'b'],
    ['É', 'b'],
    ['date', 'b'],
    ['CONNECTION', 'close'],
    ['Transfer-Encoding', 'chunked'],
  ] as const) {
    assert.throws(() => heads.head({ status: 200, headers: [header] }, 0, ''), TypeError, header.join());
  }
  assert.match(heads.head({ status: 200, headers: [['A', 'b\tc ~']] }, 0, ''), /\r\nA: b\tc ~\r\n/);
});

test('an error is shown as its sentences and headers', () => {
  const reply = errorReply(unavailable('say "when"', 3));
  assert.deepEqual(reply, { status: 503, headers: [['Retry-After', '3']], body: '{"errors":["say \\"when\\""]}\n' });
});

test('the clock moves, but not by the time the process stood still', () => {
  const clock = new Clock(5);
  const { now } = clock;
  const until = performance.now() + 60;
  while (performance.now() < until);
  clock.tick();
  assert.ok(clock.now > now && clock.now - now <= 10);
  assert.match(clock.date, /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
});

test('bytes handed out by the inbox stay as they are', () => {
  const inbox = new Inbox();
  inbox.push(Buffer.from('ab'));
  inbox.push(Buffer.from('cd'));
  const view = inbox.bytes.subarray(inbox.start, inbox.start + 3);
  inbox.readTo(inbox.start + 3);
  for (let i = 0; i < 3000; i++) inbox.push(Buffer.from('xyz'));
  assert.equal(view.toString(), 'abc');
  assert.equal(inbox.length, 9001);
  assert.equal(inbox.bytes.subarray(inbox.start, inbox.end).toString(), `d${'xyz'.repeat(3000)}`);
  inbox.readTo(inbox.end);
  assert.equal(inbox.length, 0);
});
