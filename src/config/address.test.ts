import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback, parseAddress } from './address.ts';

test('addresses: HOST:PORT, IPv6 in brackets, nothing else', () => {
  const cases: [string, { host: string; port: number } | undefined][] = [
    ['127.0.0.1:8200', { host: '127.0.0.1', port: 8200 }],
    ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
    ['vault-1.example.org:8200', { host: 'vault-1.example.org', port: 8200 }],
    ['127.0.0.1:65536', undefined],
    ['127.0.0.1:', undefined],
    ['127.0.0.1', undefined],
    [':8200', undefined],
    ['::1:8200', undefined],
    ['[127.0.0.1]:1', undefined],
    ['[::1]8200', undefined],
    ['127.1:8200', undefined],
    ['300.0.0.1:8200', undefined],
    ['a b:1', undefined],
    ['-a:1', undefined],
    ['http://127.0.0.1:8200', undefined],
    [`${'a'.repeat(253)}:1`, { host: 'a'.repeat(253), port: 1 }],
    [`${'a'.repeat(254)}:1`, undefined],
    ['', undefined],
  ];
  for (const [text, expected] of cases) assert.deepEqual(parseAddress(text), expected, text);
});

test('loopback is what only this machine reaches', () => {
  for (const host of ['127.0.0.1', '127.255.255.254', '::1', 'localhost', 'LocalHost'])
    assert.ok(isLoopback(host), host);
  for (const host of ['0.0.0.0', '128.0.0.1', '::', '::ffff:127.0.0.1', '127.0.0.1.example.org', '']) {
    assert.ok(!isLoopback(host), host);
  }
});
