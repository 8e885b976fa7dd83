import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../framework/errors.ts';
import { givenAddress, mountAddress, mountPath, refuseReserved, refuseUsed } from './mount-path.ts';
import type { MountEntry } from './mount-table.ts';

const refused = (part: RegExp) => (error: unknown) =>
  error instanceof ServiceError && error.status === 400 && part.test(error.message);

const entry = (kind: MountEntry['kind'], path: string): MountEntry => ({
  kind,
  path,
  type: 'kv',
  uuid: path,
  accessor: path,
  description: '',
  options: {},
  config: {},
  local: false,
  sealWrap: false,
});

describe('the path of a mount', () => {
  for (const [given, path] of [
    ['a', 'a/'],
    ['a/', 'a/'],
    ['/a', 'a/'],
    ['///a//', 'a/'],
    ['a/b', 'a/b/'],
    ['__proto__', '__proto__/'],
  ] as const) {
    test(`${given} is ${path}`, () => assert.equal(mountPath(given), path));
  }

  for (const given of ['', '/', '///']) {
    test(`${JSON.stringify(given)} is none`, () =>
      assert.throws(() => mountPath(given), refused(/^path: is required/)));
  }
});

describe('the mount that a full path names', () => {
  for (const [given, kind, path] of [
    ['a/b', 'secret', 'a/b/'],
    ['/auth/a/', 'auth', 'a/'],
    ['auth/a/b', 'auth', 'a/b/'],
    ['auth', 'secret', 'auth/'],
    ['auth/', 'secret', 'auth/'],
    ['authx/a', 'secret', 'authx/a/'],
    ['Auth/a', 'secret', 'Auth/a/'],
    ['x/auth/a', 'secret', 'x/auth/a/'],
    ['é/'.repeat(170).concat('ab'), 'secret', 'é/'.repeat(170).concat('ab/')],
  ] as const) {
    test(`${given} is ${kind} ${path}`, () => {
      assert.deepEqual(mountAddress(given), { kind, path });
      assert.deepEqual(givenAddress(given, 'to'), { kind, path });
    });
  }

  for (const given of [
    ...['', '/', 'a//b', 'auth//a', '/a/b//c/', '.', '..', 'a/..', 'a/../b', './a', 'a\\..\\b', 'auth/../sys'],
    ...['a\u0000', 'a\nb', '\u007f', 'a\u0085', 'a'.repeat(513), 'é/'.repeat(170).concat('abc')],
  ]) {
    test(`${JSON.stringify(given).slice(0, 20)} in a body is none`, () =>
      assert.throws(() => givenAddress(given, 'to'), refused(/^to: /)));
  }
});

describe('reserved paths', () => {
  const reserved = {
    secret: ['sys/', 'sys/x/', 'auth/', 'auth/x/', 'identity/', 'cubbyhole/', 'cubbyhole/x/', 'audit/'],
    auth: ['token/', 'token/x/'],
  } as const;
  const free = {
    secret: ['system/', 'authx/', 'x/sys/', 'token/', 'a/'],
    auth: ['tokens/', 'sys/', 'x/token/'],
  } as const;
  for (const kind of ['secret', 'auth'] as const) {
    for (const path of reserved[kind]) {
      test(`${kind} ${path} is`, () =>
        assert.throws(() => refuseReserved(kind, path), refused(/path is already in use/)));
    }
    for (const path of free[kind]) test(`${kind} ${path} is not`, () => refuseReserved(kind, path));
  }
});

describe('paths in use', () => {
  const entries = [entry('secret', 'a/b/'), entry('auth', 'c/')];
  for (const path of ['a/b/', 'a/', 'a/b/c/', 'a/b/c/d/']) {
    test(`${path} is, or lies above or beneath one`, () =>
      assert.throws(() => refuseUsed(entries, 'secret', path), refused(/path is already in use/)));
  }
  for (const path of ['a/bc/', 'a/c/', 'b/', 'aa/', 'c/'])
    test(`${path} is free`, () => refuseUsed(entries, 'secret', path));
  test('auth methods are counted apart', () => {
    refuseUsed(entries, 'auth', 'a/b/');
    assert.throws(() => refuseUsed(entries, 'auth', 'c/'), refused(/path is already in use/));
  });
});
