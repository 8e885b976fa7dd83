import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noContent } from '../../src/framework/answer.ts';
import type { StoreReader } from '../../src/framework/context.ts';
import { list, patch, read, remove, write } from '../../src/framework/endpoint.ts';
import { int, optional, string } from '../../src/framework/kinds/index.ts';
import type { PathNames } from '../../src/framework/pattern.ts';
import { read as readSystem } from '../../src/sys/context.ts';

/**
 * What must not compile in a declaration. Each line below an expected error is one: where it does compile, the build
 * fails, and with it the tests.
 */
const name = string();
const text = Buffer.from('x');

/** Exact equality of types. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

test('the names of the parameters are read from the path', () => {
  holds<Same<PathNames<'keys/:name/rotate'>, 'name'>>();
  holds<Same<PathNames<'hmac/:name(/:algorithm)'>, 'name' | 'algorithm'>>();
  holds<Same<PathNames<':path'>, 'path'>>();
  holds<Same<PathNames<'config'>, never>>();
  // @ts-expect-error the name is another one
  holds<Same<PathNames<'keys/:name'>, 'key'>>();
  // @ts-expect-error there are two
  holds<Same<PathNames<'keys/:name/:version'>, 'name'>>();

  // @ts-expect-error name is not declared
  const undeclared = read('keys/:name', { summary: 'Read', params: {} }, () => noContent);
  // @ts-expect-error the optional algorithm is not declared
  const half = write('hmac/:name(/:algorithm)', { summary: 'Write', params: { name } }, () => noContent);
  const whole = write(
    'hmac/:name(/:algorithm)',
    { summary: 'Write', params: { name, algorithm: name } },
    () => noContent,
  );
  assert.deepEqual(
    [undeclared.path, half.path, whole.path],
    ['keys/:name', 'hmac/:name(/:algorithm)', 'hmac/:name(/:algorithm)'],
  );
});

test('a handler has the values that are declared, of their types', () => {
  const params = { name, size: int(1), note: optional(string()) };
  const endpoint = write('keys/:name', { summary: 'Write', params }, (values) => {
    holds<Same<typeof values.name, string>>();
    holds<Same<typeof values.size, number>>();
    holds<Same<typeof values.note, string | undefined>>();
    // @ts-expect-error nothing of this name is declared
    values.other;
    // @ts-expect-error values are not to be changed
    values.size = 2;
    return noContent;
  });
  assert.equal(endpoint.params, params);
});

test('what reads cannot write', () => {
  const params = { name };
  const reading = read('keys/:name', { summary: 'Read', params }, (values, { store }) => {
    holds<Same<typeof store, StoreReader>>();
    // @ts-expect-error a read has no put
    store.put(values.name, text);
    // @ts-expect-error a read has no delete
    store.delete(values.name);
    // @ts-expect-error a read spends nothing
    store.spend.put(values.name, text);
    return noContent;
  });
  const listing = list('keys', { summary: 'List', params: {} }, (_, { store }) => {
    // @ts-expect-error a list has no put
    store.put('a', text);
    return { keys: [] };
  });
  const random = read('random', { summary: 'Read', params: {} }, (_, context) => {
    // @ts-expect-error a read has no randomness: it answers what is there
    context.random(1);
    return noContent;
  });
  const existing = write(
    'keys/:name',
    {
      summary: 'Write',
      params,
      exists: async (values, { store }) => {
        // @ts-expect-error telling whether it exists writes nothing
        store.put(values.name, text);
        return (await store.get(values.name)) !== undefined;
      },
    },
    () => noContent,
  );
  const system = readSystem('keys', { summary: 'Read', params: {} }, (_, { store }) => {
    // @ts-expect-error nor does a read of the system write to its mount
    store.put('a', text);
    return noContent;
  });
  const verbs = [reading, listing, random, existing, system].map(({ verb }) => verb);
  assert.deepEqual(verbs, ['read', 'list', 'read', 'write', 'read']);
});

test('what writes, patches and removes can', () => {
  const params = { name };
  const verbs = [write, patch, remove].map((word) =>
    word('keys/:name', { summary: 'Change', params }, (values, { store, random }) => {
      store.put(values.name, random(1));
      store.delete(values.name);
      store.spend.put(values.name, text);
      return noContent;
    }),
  );
  assert.deepEqual(
    verbs.map(({ verb }) => verb),
    ['write', 'patch', 'remove'],
  );
});

test('without a token there is no caller', () => {
  const login = write('login', { summary: 'Log in', params: {}, access: 'none' }, (_, context) => {
    // @ts-expect-error nobody was looked at
    context.caller;
    return noContent;
  });
  const perhaps = read('hello', { summary: 'Read', params: {}, access: 'optional' }, (_, { caller }) => {
    // @ts-expect-error there may be nobody
    caller.displayName;
    return { data: { name: caller?.displayName ?? '' } };
  });
  const sure = read('me', { summary: 'Read', params: {}, access: 'token' }, (_, { caller }) => ({
    data: { name: caller.displayName },
  }));
  assert.deepEqual([login.access, perhaps.access, sure.access], ['none', 'optional', 'token']);
});

test('prepare reads and cannot write, and its result has its type', () => {
  const prepared = write(
    'keys/:name',
    {
      summary: 'Write',
      params: { name },
      prepare: async (values, { store, ...rest }) => {
        // @ts-expect-error no writes before the transaction
        store.put(values.name, text);
        // @ts-expect-error no clock of the store before the transaction
        rest.now;
        return { bits: 2048 };
      },
    },
    (_, context) => {
      holds<Same<typeof context.prepared, { bits: number }>>();
      return { data: { bits: context.prepared.bits } };
    },
  );
  const without = write('keys/:name', { summary: 'Write', params: { name } }, (_, context) => {
    // @ts-expect-error nothing was prepared
    context.prepared.bits;
    return noContent;
  });
  assert.ok(prepared.prepare !== undefined && without.prepare === undefined);
});
