import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CLIENT_SETTINGS } from '../cli/client.ts';
import { fileName, flagName, type Setting, variableName } from '../config/settings.ts';
import { SETTINGS } from '../config.ts';
import { authorize, CAPABILITIES } from '../core/authorize.ts';
import { readCall } from '../core/call.ts';
import { requestOf } from '../core/testing.ts';
import { ServiceError } from '../framework/errors.ts';
import { NO_ACL } from '../policies/index.ts';
import { typeOf } from './api.ts';
import { METHODS, whoMayCall } from './capability.ts';
import { fixedLimits } from './limits.ts';
import { cell, fill, table } from './markdown.ts';
import { PAGES, pageFile } from './pages.ts';
import { sections } from './sections.ts';
import { clientSettings, serverSettings } from './settings.ts';

const read = (name: string): string => readFileSync(pageFile(name), 'utf8');

describe('pages made from the program', () => {
  for (const [name, make] of PAGES) {
    test(name, () => {
      const page = read(name);
      assert.ok(make(page) === page, `${name} is stale: npm run docs`);
      const stale = page.replace(/\| `/, '| `x');
      assert.ok(make(stale) !== stale, 'a change is found');
    });
  }

  test('every endpoint has its part of the reference, once', () => {
    const headings = read('docs/api.md')
      .split('\n')
      .filter((line) => line.startsWith('### '));
    const expected = sections().flatMap(({ prefix, endpoints }) =>
      endpoints.map(({ verb, path }) => `### \`${METHODS[verb]} /v1/${prefix}${path}\``),
    );
    assert.deepEqual(headings, expected);
    assert.equal(new Set(headings).size, headings.length);
    assert.ok(headings.length > 40);
  });

  test('every setting has its row', () => {
    for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
      const name = setting.secret === true ? variableName(key, setting) : flagName(key);
      assert.match(serverSettings(), new RegExp(`^\\| \`${name}\` +\\| \`${fileName(key)}\` +\\|`, 'm'), key);
    }
    for (const name of ['--address', '--cacert', 'KEYHOLD_TOKEN']) assert.ok(clientSettings().includes(`\`${name}\``));
    assert.deepEqual(Object.keys(CLIENT_SETTINGS), ['address', 'cacert', 'token']);
    assert.doesNotMatch(clientSettings(), /--token/);
    assert.doesNotMatch(serverSettings(), /--setup-token/);
    assert.ok(!serverSettings().includes(process.cwd()));
  });
});

/** The capabilities that a decision asks for, until one is granted; none is. */
async function asked(method: string, exists: boolean | undefined): Promise<readonly string[]> {
  const questions: string[] = [];
  const acl = {
    ...NO_ACL,
    decide: () => ({
      has: (capability: string) => {
        questions.push(capability);
        // Both must be possible for the question of existence to be asked.
        return exists !== undefined && questions.length === 1;
      },
      constraints: undefined,
    }),
  };
  const call = readCall(requestOf(method, '/v1/a/b'));
  const endpoint = { access: 'policy', sudo: false, verb: call.verb } as const;
  const decided = authorize(
    endpoint,
    call,
    { bearer: undefined, acl, identityPolicies: [], identity: undefined },
    exists === undefined ? undefined : async () => exists,
  );
  await assert.rejects(decided, ServiceError);
  return questions;
}

test('the capabilities of the reference are those that are asked for', async () => {
  for (const [verb, method] of Object.entries(METHODS)) {
    assert.deepEqual(await asked(method, undefined), [Object.entries(CAPABILITIES).find(([v]) => v === verb)?.[1]]);
  }
  assert.deepEqual(await asked('POST', false), ['create', 'create']);
  assert.deepEqual(await asked('POST', true), ['create', 'update']);
  const endpoint = sections()
    .flatMap(({ endpoints }) => endpoints)
    .find(({ tellsNew }) => tellsNew);
  assert.ok(endpoint !== undefined);
  assert.equal(whoMayCall(endpoint), '`create` where it is new, `update` where it exists');
  assert.equal(whoMayCall({ ...endpoint, tellsNew: false, sudo: true }), '`update`, and `sudo`');
  assert.equal(whoMayCall({ ...endpoint, access: 'token' }), 'any valid token');
});

test('types in words', () => {
  for (const [schema, expected] of [
    [{ type: 'integer', minimum: 0 }, 'integer, at least 0'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, 'integer, 1 to 9'],
    [{ type: 'integer', maximum: 9 }, 'integer, at most 9'],
    [{ type: 'string', format: 'duration', nullable: true }, 'duration, or null'],
    [{ type: 'array', items: { type: 'string' } }, 'list of string'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'map of string'],
    [{ type: 'object', additionalProperties: true }, 'object'],
    [{ type: 'string', enum: ['a', ''] }, '`"a"`, `""`'],
    [{}, 'any JSON'],
  ] as const) {
    assert.equal(typeOf(schema), expected);
  }
});

test('limits are written with their units', () => {
  assert.match(fixedLimits(), /\| canonical path, behind `\/v1\/` +\| 1,024 bytes +\|/);
});

test('markdown', () => {
  assert.equal(cell('a|b\nc'), 'a\\|b c');
  assert.equal(table(['a', 'b'], [['1', '1234']]), '| a   | b    |\n| --- | ---- |\n| 1   | 1234 |\n');
  const page = 'x\n<!-- n -->\nold\n<!-- /n -->\ny\n';
  assert.equal(fill(page, 'n', 'new\n'), 'x\n<!-- n -->\n\nnew\n\n<!-- /n -->\ny\n');
  assert.equal(fill(fill(page, 'n', 'a\n'), 'n', 'b\n'), fill(page, 'n', 'b\n'));
  for (const broken of ['x', '<!-- n -->\n', '<!-- /n -->\n', page + page]) {
    assert.throws(() => fill(broken, 'n', 'new'), /not exactly one place/);
  }
});
