import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { CLIENT_SETTINGS } from '../../src/cli/client.ts';
import { fileName, flagName, type Setting, variableName } from '../../src/config/settings.ts';
import { SETTINGS } from '../../src/config.ts';
import { parsePolicy } from '../../src/policies/index.ts';
import { blocksOf, page, projectFile } from './guide.ts';

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'docs/user-guide.md',
  'docs/operations.md',
  'docs/divergences.md',
  'docs/threat-model.md',
  'docs/api.md',
];

const exists = (path: string): boolean => existsSync(projectFile(path));
const found = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([all, group = all]) => group);

/** Files that the text links to or names, which are not there. `made` are files that the page itself makes. */
function missingFiles(from: string, text: string, made: readonly string[] = []): readonly string[] {
  const links = found(text, /\]\(([^)#:]+)\)/g).map((link) => posix.join(posix.dirname(from), link));
  const named = found(text, /`((?:src|test|docs)\/[\w./-]+\.\w+)`/g);
  // Within the sources a file is named from their folder: `core/handle.ts`.
  const sources = found(text, /`((?!src\/|test\/|docs\/)[a-z-]+\/[\w./-]+\.ts)`/g).map((path) => `src/${path}`);
  return [...links, ...named, ...sources].filter((path) => !exists(path) && !made.includes(path));
}

const settings: readonly (readonly [string, Setting<unknown>])[] = [
  ...Object.entries<Setting<unknown>>(SETTINGS),
  ...Object.entries<Setting<unknown>>(CLIENT_SETTINGS),
];
/** Of the commands, and of the tools that the pages name. */
const OTHER_FLAGS = ['--shares', '--threshold', '--format', '--help', '--test', '--single-threaded-gc'];
const FLAGS = new Set([...settings.map(([key]) => flagName(key)), ...OTHER_FLAGS]);
const VARIABLES = new Set(settings.map(([key, setting]) => variableName(key, setting)));
const NAMES = new Set(settings.map(([key]) => fileName(key)));

const unknownFlags = (text: string): readonly string[] =>
  found(text, /(?<![\w-])--[a-z][a-z-]*/g).filter((flag) => !FLAGS.has(flag));
const unknownVariables = (text: string): readonly string[] =>
  found(text, /\bKEYHOLD_[A-Z][A-Z_]*/g).filter((name) => !VARIABLES.has(name));

describe('what the pages name is there', () => {
  for (const name of PAGES) {
    test(name, () => {
      const text = page(name);
      const made = blocksOf(text).map(({ info }) => info);
      assert.deepEqual(missingFiles(name, text, made), []);
      assert.deepEqual(unknownFlags(text), []);
      assert.deepEqual(unknownVariables(text), []);
    });
  }

  test('settings of the file in the operations guide', () => {
    const named = found(page('docs/operations.md'), /`([a-z]+(?:_[a-z]+)+)`/g);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((name) => !NAMES.has(name) && name !== 'request_id'),
      [],
    );
  });

  test('the policies of the user guide are policies', () => {
    const policies = blocksOf(page('docs/user-guide.md')).filter(({ language }) => language === 'hcl');
    assert.equal(policies.length, 2);
    for (const { text } of policies) assert.equal(parsePolicy(text).rules.length, text.split('path "').length - 1);
  });

  test('what is planted is found', () => {
    assert.deepEqual(missingFiles('docs/a.md', '[x](../NONE.md) [y](api.md) [z](https://example.org)'), ['NONE.md']);
    assert.deepEqual(missingFiles('README.md', '`core/none.ts` `core/handle.ts` `src/none.ts`'), [
      'src/none.ts',
      'src/core/none.ts',
    ]);
    assert.deepEqual(unknownFlags('--listen --lisen x--no'), ['--lisen']);
    assert.deepEqual(unknownVariables('KEYHOLD_LISTEN KEYHOLD_LISEN KEYHOLD_…'), ['KEYHOLD_LISEN']);
  });
});
