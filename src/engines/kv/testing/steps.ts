import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Verb } from '../../../framework/endpoint.ts';
import type { Model, Told } from './model.ts';
import type { TestMount } from './mount.ts';

/** Random requests to the engine, each told to the model too. */

/** One request to the engine, and the same for the model. */
export interface Step {
  readonly verb: Verb;
  readonly path: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tell: (model: Model, now: number) => Told;
}

const path = fc.constantFrom('a', 'a', 'a', 'a', 'a/b', 'a/1');
const leaf = fc.constantFrom<unknown>(1, 'x', true, null, [], [null, { n: 1 }], {});
const map = (value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom('k', 'l', 'm'), value, { maxKeys: 3, noNullPrototype: true });
const data = map(fc.oneof(leaf, map(fc.oneof(leaf, map(leaf)))));
const cas = fc.option(fc.nat({ max: 6 }), { nil: undefined, freq: 2 });
const numbers = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 5 });
const lifetime = fc.constantFrom(0, 1, 2, 5);
const texts = <T>(value: fc.Arbitrary<T>) =>
  fc.dictionary(fc.constantFrom('o', 'p', 'q'), value, { maxKeys: 3, noNullPrototype: true });

/** Some of the members, or none. */
const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.record<T, never>(members, { requiredKeys: [], noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.constant<Partial<T>>({}) },
  );

const settings = { max_versions: fc.nat({ max: 4 }), cas_required: fc.constantFrom(false, false, false, false, true) };
const configuration = some({ ...settings, delete_version_after: fc.constantFrom(0, 3, -1) });
const written = some({
  ...settings,
  delete_version_after: lifetime,
  custom_metadata: texts(fc.constantFrom('1', '2')),
});
const or = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 });
const patched = some({
  max_versions: or(settings.max_versions),
  cas_required: or(settings.cas_required),
  delete_version_after: or(lifetime),
  custom_metadata: or(texts(or(fc.constantFrom('1', '2')))),
});

const options = (cas: number | undefined) => (cas === undefined ? {} : { options: { cas } });

/** The server's jobs come by, as they may at any moment, or never before the next crash. */
export const PURGE = 'purge';

export const step: fc.Arbitrary<Step | typeof PURGE> = fc.oneof(
  {
    weight: 2,
    arbitrary: configuration.map(
      (c): Step => ({ verb: 'write', path: 'config', input: c, tell: (m) => m.configure(c) }),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(path, data, cas).map(
      ([p, d, c]): Step => ({
        verb: 'write',
        path: `data/${p}`,
        input: { data: d, ...options(c) },
        tell: (m, now) => m.write(now, p, d, c),
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(path, data, cas).map(
      ([p, d, c]): Step => ({
        verb: 'patch',
        path: `data/${p}`,
        input: { data: d, ...options(c) },
        tell: (m, now) => m.patch(now, p, d, c),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: path.map(
      (p): Step => ({ verb: 'remove', path: `data/${p}`, input: {}, tell: (m, now) => m.removeLatest(now, p) }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(path, numbers).map(
      ([p, versions]): Step => ({
        verb: 'write',
        path: `delete/${p}`,
        input: { versions },
        tell: (m, now) => m.delete(now, p, versions),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(path, numbers).map(
      ([p, versions]): Step => ({
        verb: 'write',
        path: `undelete/${p}`,
        input: { versions },
        tell: (m, now) => m.undelete(now, p, versions),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(path, numbers).map(
      ([p, versions]): Step => ({
        verb: 'write',
        path: `destroy/${p}`,
        input: { versions },
        tell: (m) => m.destroy(p, versions),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(path, written).map(
      ([p, w]): Step => ({
        verb: 'write',
        path: `metadata/${p}`,
        input: w,
        tell: (m, now) => m.setMetadata(now, p, w),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(path, patched).map(
      ([p, c]): Step => ({
        verb: 'patch',
        path: `metadata/${p}`,
        input: c,
        tell: (m, now) => m.patchMetadata(now, p, c),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: path.map(
      (p): Step => ({ verb: 'remove', path: `metadata/${p}`, input: {}, tell: (m) => m.removeMetadata(p) }),
    ),
  },
  { weight: 1, arbitrary: fc.constant(PURGE) },
);

/** All that can be read, after each step: what one step broke must not wait for a reader that happens to come by. */
export const reads: readonly Step[] = [
  ...['a', 'a/b', 'a/1'].flatMap((p): Step[] => [
    { verb: 'read', path: `metadata/${p}`, input: {}, tell: (m) => m.metadata(p) },
    { verb: 'read', path: `subkeys/${p}`, input: {}, tell: (m, now) => m.subkeys(now, p, 0) },
    ...[0, 1, 2, 3].map(
      (version): Step => ({
        verb: 'read',
        path: `data/${p}`,
        input: { version },
        tell: (m, now) => m.read(now, p, version),
      }),
    ),
  ]),
  { verb: 'list', path: 'metadata', input: {}, tell: (m) => m.list('') },
  { verb: 'list', path: 'metadata/a', input: {}, tell: (m) => m.list('a/') },
];

export async function compare(mount: TestMount, model: Model, { verb, path, input, tell }: Step): Promise<void> {
  const reply = await mount.request(verb, path, input);
  const told = tell(model, mount.now);
  assert.deepEqual(
    { status: reply.status, data: reply.data },
    { status: told.status, data: told.data },
    `${verb} ${path}`,
  );
}
