import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BodyBuffer, Budget } from './body.ts';
import { ChunkedDecoder } from './chunked.ts';

const MIB = 1024 * 1024;

test('a body comes out as it went in, however it is cut, and gives its budget back', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 * MIB }),
      fc.integer({ min: 1, max: 300_000 }),
      fc.integer({ min: 0, max: 1 }),
      (size, cut, spare) => {
        const budget = new Budget(4 * MIB);
        const body = new BodyBuffer(size + spare * size, budget);
        const sent = Buffer.allocUnsafe(size);
        for (let i = 0; i < size; i++) sent[i] = (i * 31) >> 3;
        for (let at = 0; at < size; at += cut) body.append(sent, at, Math.min(size, at + cut));
        assert.equal(body.length, size);
        assert.equal(budget.held, size);
        assert.ok(body.finish().equals(sent));
        body.release();
        body.release();
        assert.equal(budget.held, 0);
      },
    ),
    { numRuns: 40 },
  );
});

test('a body over its length is 413, over the budget 503', () => {
  const budget = new Budget(10);
  const body = new BodyBuffer(8, budget);
  body.append(Buffer.alloc(8), 0, 8);
  assert.throws(() => body.append(Buffer.alloc(1), 0, 1), { status: 413 });
  const other = new BodyBuffer(8, budget);
  other.append(Buffer.alloc(2), 0, 2);
  assert.throws(() => other.append(Buffer.alloc(1), 0, 1), { status: 503 });
  body.release();
  other.append(Buffer.alloc(1), 0, 1);
  assert.equal(budget.held, 3);
});

test('chunks come out as one body, however they and the bytes are cut', () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.boolean(),
      (chunks, cuts, upper) => {
        const size = (n: number): string => (upper ? n.toString(16).toUpperCase() : n.toString(16).padStart(4, '0'));
        const wire = Buffer.concat([
          ...chunks.flatMap((c) => [Buffer.from(`${size(c.length)}\r\n`), c, Buffer.from('\r\n')]),
          Buffer.from('0\r\n\r\nNEXT'),
        ]);
        const body = new BodyBuffer(1000, new Budget(1000));
        const decoder = new ChunkedDecoder(body);
        let at = 0;
        for (let i = 0; !decoder.done; i++)
          at = decoder.read(wire, at, Math.min(wire.length, at + (cuts[i % cuts.length] ?? 1)));
        assert.equal(at, wire.length - 4);
        assert.ok(body.finish().equals(Buffer.concat(chunks)));
      },
    ),
  );
});

const REFUSED: readonly (readonly [string, number])[] = [
  ['\r\n', 400],
  ['+1\r\na\r\n', 400],
  ['-1\r\na\r\n', 400],
  [' 1\r\na\r\n', 400],
  ['1 \r\na\r\n', 400],
  ['0x1\r\na\r\n', 400],
  ['1;a=b\r\na\r\n', 400],
  ['1\na\r\n', 400],
  ['1\ra', 400],
  ['1\r\nab', 400],
  ['1\r\na\n', 400],
  ['1\r\na\r\r', 400],
  ['0\r\nA: b\r\n\r\n', 400],
  ['0\r\n\n', 400],
  ['0\r\n\rx', 400],
  ['00000000000000001\r\n', 400],
  ['g\r\n', 400],
  ['65\r\n', 413],
  ['ffffffffffffffff\r\n', 413],
];

for (const [wire, status] of REFUSED) {
  test(`chunks refused: ${JSON.stringify(wire)}`, () => {
    const decoder = new ChunkedDecoder(new BodyBuffer(100, new Budget(100)));
    assert.throws(() => decoder.read(Buffer.from(wire), 0, wire.length), { status });
  });
}
