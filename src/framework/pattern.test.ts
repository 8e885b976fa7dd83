import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forms, type Step } from './pattern.ts';

/** A form as the path that it stands for. */
const show = (steps: readonly Step[]): string =>
  steps.map((step) => (step.kind === 'literal' ? step.text : `<${step.kind} ${step.name}>`)).join('/');

for (const [path, expected] of [
  ['', ['']],
  ['config', ['config']],
  ['keys/:name', ['keys/<segment name>']],
  ['keys/:name/rotate', ['keys/<segment name>/rotate']],
  ['data/:path', ['data/<path path>']],
  [':path', ['<path path>']],
  ['mounts/:path/tune', ['mounts/<path path>/tune']],
  ['hmac/:name(/:algorithm)', ['hmac/<segment name>', 'hmac/<segment name>/<segment algorithm>']],
  ['sign(/:hash)/:name', ['sign/<segment name>', 'sign/<segment hash>/<segment name>']],
  ['a(/b)(/c)', ['a', 'a/b', 'a/c', 'a/b/c']],
  [
    'random(/:source)(/:bytes)',
    ['random', 'random/<segment source>', 'random/<segment bytes>', 'random/<segment source>/<segment bytes>'],
  ],
] as const) {
  test(`forms of ${path === '' ? 'the empty path' : path}`, () => {
    assert.deepEqual(forms(path).map(show).sort(), [...expected].sort());
  });
}

test('a parenthesis that is not closed is a mistake of ours', () => {
  assert.throws(() => forms('hmac/:name(/:algorithm'), /not closed/);
});
