import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cidrList, contains, within } from './cidr.ts';
import { scanJson } from './json/index.ts';

const read = (value: unknown): readonly string[] => cidrList().parse('blocks', scanJson(JSON.stringify(value)));

describe('blocks of addresses', () => {
  for (const [block, inside, outside] of [
    ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
    ['10.1.2.3', '10.1.2.3', '10.1.2.4'],
    ['0.0.0.0/0', '255.255.255.255', '::1'],
    ['192.0.2.128/25', '192.0.2.128', '192.0.2.127'],
    ['2001:db8::/32', '2001:db8:ffff::1', '2001:db9::'],
    ['::1', '::1', '::2'],
    ['::ffff:10.0.0.0/104', '10.9.9.9', '11.0.0.1'],
    ['::FFFF:10.0.0.1', '10.0.0.1', '10.0.0.2'],
    ['::ffff:a00:1', '10.0.0.1', '10.0.0.2'],
    ['0:0:0:0:0:ffff:10.0.0.1', '10.0.0.1', '::ffff:a00:1'],
    ['0000:0000:0000:0000:0000:FFFF:0A00:0000/104', '10.255.0.1', '11.0.0.1'],
    ['::ffff:0:0/96', '192.0.2.1', '::1'],
    ['::/0', '2001:db8::1', '10.0.0.1'],
    ['::10.0.0.1', '::a00:1', '10.0.0.1'],
    ['2001:0DB8:0:0::1', '2001:db8::1', '2001:db8::2'],
  ] as const) {
    test(`${block} holds ${inside} and not ${outside}`, () => {
      assert.equal(contains(read([block]), inside), true);
      assert.equal(contains(read([block]), outside), false);
    });
  }

  for (const bad of [
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    'host',
    '',
    '10.0.0',
    'fe80::1%eth0',
    '::/129',
    '::ffff:10.0.0.0/95',
  ]) {
    test(`"${bad}" is none`, () => {
      assert.throws(() => read([bad]), { status: 400 });
    });
  }

  test('a list, a comma-separated text, and each block once', () => {
    assert.deepEqual(read('10.0.0.0/8, 192.0.2.1'), ['10.0.0.0/8', '192.0.2.1']);
    assert.deepEqual(read(['::1', '::1', '0:0:0:0:0:0:0:1']), ['::1']);
    assert.deepEqual(read(''), []);
  });

  test('no blocks hold nothing, and nothing holds what is no address', () => {
    assert.equal(contains([], '10.0.0.1'), false);
    assert.equal(contains(['0.0.0.0/0'], 'nowhere'), false);
  });

  for (const [blocks, others, expected] of [
    [[], [], true],
    [['10.1.0.0/16'], ['10.0.0.0/8'], true],
    [['10.0.0.0/8'], ['10.1.0.0/16'], false],
    [['10.0.0.0/8'], ['10.0.0.0/8'], true],
    [['10.0.0.1'], ['10.0.0.1/32'], true],
    [['10.0.0.1/31'], ['10.0.0.1'], false],
    [['11.0.0.1'], ['10.0.0.0/8'], false],
    [['10.0.0.1', '11.0.0.1'], ['10.0.0.0/8'], false],
    [['10.0.0.1', '11.0.0.1'], ['11.0.0.0/8', '10.0.0.0/8'], true],
    [['::1'], ['0.0.0.0/0'], false],
    [['10.0.0.1'], ['::/0'], false],
    [['2001:db8:1::/48'], ['2001:db8::/32'], true],
    [['::1'], [], false],
  ] as const) {
    test(`[${blocks}] ${expected ? 'lies' : 'does not lie'} in [${others}]`, () => {
      assert.equal(within(read(blocks), read(others)), expected);
    });
  }

  test('256 blocks pass, 257 do not', () => {
    const blocks = Array.from({ length: 257 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`);
    assert.equal(read(blocks.slice(1)).length, 256);
    assert.throws(() => read(blocks), { status: 400 });
  });
});
