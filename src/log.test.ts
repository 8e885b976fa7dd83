import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog, LEVELS, type Level } from './log.ts';
import { printable } from './printable.ts';

const NOON = Date.UTC(2026, 0, 2, 12);

function logged(format: 'json' | 'text', level: Level = 'debug') {
  const lines: string[] = [];
  return { lines, log: createLog({ level, format, write: (line) => lines.push(line), clock: () => NOON }) };
}

test('a JSON line per event', () => {
  const { lines, log } = logged('json');
  log.info('listening', { address: '127.0.0.1:1', sealed: false });
  assert.deepEqual(lines, [
    '{"time":"2026-01-02T12:00:00.000Z","level":"info","message":"listening","address":"127.0.0.1:1","sealed":false}\n',
  ]);
});

test('text for people', () => {
  const { lines, log } = logged('text');
  log.warn('it is "odd"', { why: 'a\nb', n: 1 });
  assert.deepEqual(lines, ['2026-01-02T12:00:00.000Z WARN  it is "odd" why="a\\nb" n=1\n']);
});

test('each level writes itself and what is graver', () => {
  for (const [index, level] of LEVELS.entries()) {
    const { lines, log } = logged('json', level);
    for (const name of LEVELS) log[name]('x');
    assert.equal(lines.length, LEVELS.length - index, level);
  }
});

test('I5: no text forges a line or an event, whatever it holds', () => {
  const wild = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\n{"level":"error"}', '\r\n', '\u2028x', '\x1b[2J', '\u0085', '\u202e'),
  );
  fc.assert(
    fc.property(wild, wild, wild, (sentence, name, value) => {
      for (const format of ['json', 'text'] as const) {
        const { lines, log } = logged(format);
        log.info(sentence, { [name]: value });
        const [line = ''] = lines;
        assert.equal(lines.length, 1);
        assert.match(line, /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*\n$/u);
        if (format === 'text') continue;
        const event: unknown = JSON.parse(line);
        assert.ok(typeof event === 'object' && event !== null && 'message' in event && 'level' in event);
        assert.equal(event.level, 'info');
        assert.equal(event.message, sentence);
      }
    }),
  );
});

test('a field cannot pass for the time, the level or the message', () => {
  const { lines, log } = logged('json');
  log.error('real', { level: 'debug', message: 'forged', time: 'never', __proto__: null, other: 1 });
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    time: '2026-01-02T12:00:00.000Z',
    level: 'error',
    message: 'real',
    other: 1,
  });
});

test('errors keep what an operator needs, with their cause', () => {
  const { lines, log } = logged('json');
  log.error('failed', { error: Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'ENOSPC' }) });
  assert.match(
    lines[0] ?? '',
    /"name":"Error","message":"outer","code":"ENOSPC","stack":"Error: outer\\n.*"message":"inner"/,
  );
});

test('bounded, and never a throw: long texts, cycles, bytes, odd values', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const { lines, log } = logged('json');
  log.info('odd', {
    long: 'x'.repeat(100_000),
    many: Array.from({ length: 10_000 }, () => 'y'.repeat(10)),
    cycle,
    bytes: Buffer.from('hunter2'),
    big: 10n,
    nothing: undefined,
    call: () => 1,
    symbol: Symbol('s'),
    date: new Date(NOON),
    invalid: new Date(Number.NaN),
  });
  const [line = ''] = lines;
  assert.ok(line.length < 12_000, String(line.length));
  assert.doesNotMatch(line, /hunter2|aHVudGVy/);
  assert.match(line, /"bytes":"7 bytes","big":"10"/);
  assert.match(line, /"date":"2026-01-02T12:00:00.000Z"/);
});

test('printable text keeps what is to be read', () => {
  for (const text of ['plain', 'äöü 日本 🔑', '"\\']) assert.equal(printable(text), text);
  assert.equal(printable('a\x1b[31m\u{e0001}'), 'a\\u001b[31m\\udb40\\udc01');
});
