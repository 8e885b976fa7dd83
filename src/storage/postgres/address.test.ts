import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseUrl } from './address.ts';
import { isSchemaName } from './schema.ts';

const self = fileURLToPath(import.meta.url);

test('what a URL says', () => {
  const tls = (url: string): unknown => parseUrl(url).tls;
  assert.deepEqual(parseUrl('postgres://u:p%40ss@db.example:6543/d?sslmode=disable'), {
    ...{ host: 'db.example', port: 6543, user: 'u', password: 'p@ss', database: 'd', tls: undefined },
  });
  assert.equal(parseUrl('postgresql://u@[::1]/d').host, '::1');
  assert.equal(parseUrl('postgres://u@db/d').port, 5432);
  assert.equal(parseUrl('postgres://u@db/d').password, undefined);
  assert.equal(parseUrl('postgres://u@localhost/d?host=/run/postgresql').host, '/run/postgresql');
  for (const here of ['127.0.0.1', '127.9.9.9', 'localhost', '[::1]', 'x/d?host=/s']) {
    const url = here.includes('/') ? `postgres://u@${here}` : `postgres://u@${here}/d`;
    assert.equal(tls(url), undefined, here);
  }
  for (const far of ['10.0.0.1', 'localhost.example', '127.0.0.1.example', '128.0.0.1']) {
    assert.deepEqual(Object.keys(Object(tls(`postgres://u@${far}/d`))), ['checkServerIdentity'], far);
  }
  assert.equal(tls('postgres://u@db/d?sslmode=disable'), undefined);
  assert.deepEqual(tls('postgres://u@127.0.0.1/d?sslmode=require'), { rejectUnauthorized: false });
  assert.deepEqual(Object.keys(Object(tls('postgres://u@db/d?sslmode=verify-ca'))), ['checkServerIdentity']);
  assert.match(String(Object(tls(`postgres://u@db/d?sslrootcert=${self}`)).ca), /what a URL says/);
});

test('what is no such URL, with a sentence that does not show it', () => {
  for (const [url, sentence] of [
    ['', /^must be postgres:/],
    ['db.example/hunter2', /^must be postgres:/],
    ['http://hunter2@h/d', /^must be postgres:/],
    ['postgres://hunter2@h/d#x', /^must be postgres:/],
    ['postgres://h/hunter2', /^must name the user/],
    ['postgres://hunter2@h', /^must name the database/],
    ['postgres://hunter2@h/a/b', /^must name the database/],
    ['postgres://hunter2@/d', /^must/],
    ['postgres://hunter2@h/d?options=-c', /^takes the parameters sslmode, sslrootcert, host and no others$/],
    ['postgres://hunter2@h/d?sslmode=prefer', /^must have one of disable, require, verify-ca, verify-full/],
    ['postgres://hunter2@h/d?sslrootcert=/nowhere', /^names a file as its sslrootcert/],
    ['postgres://hunter2@h/d?host=other', /^must name a folder/],
    ['postgres://hunter2:%zz@h/d', /^must have "%" written as %25/],
  ] as const) {
    assert.throws(
      () => parseUrl(url),
      (error: unknown) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, sentence, url);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  }
});

test('names of schemas', () => {
  for (const name of ['keyhold', '_', 'a1', 'a'.repeat(63)]) assert.ok(isSchemaName(name), name);
  for (const name of ['', '1a', 'A', 'a-b', 'a b', 'a"', 'pg_x', 'a'.repeat(64), 'a\n'])
    assert.ok(!isSchemaName(name), name);
});
