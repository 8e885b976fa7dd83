import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MountConfig, type MountEntry, MountTable } from './mount-table.ts';

const entry = (config: MountConfig): MountEntry => ({
  ...{ path: 'a/', kind: 'secret', type: 'kv', uuid: 'u', accessor: 'kv_1', description: '', options: {} },
  ...{ config, local: false, sealWrap: false },
});

for (const [config, defaultTtl, maxTtl] of [
  [{}, 100, 1_000],
  [{ defaultLeaseTtl: 500 }, 500, 1_000],
  [{ maxLeaseTtl: 50 }, 50, 50],
  [{ maxLeaseTtl: 2_000 }, 100, 2_000],
  [{ defaultLeaseTtl: 60, maxLeaseTtl: 70 }, 60, 70],
  // Tuned under a maximum of the server that was larger.
  [{ defaultLeaseTtl: 5_000 }, 1_000, 1_000],
] as const) {
  test(`lifetimes of ${JSON.stringify(config)}`, () => {
    const found = new MountTable([entry(config)], { defaultTtl: 100, maxTtl: 1_000 }).locate('a/x');
    assert.deepEqual([found?.mount.defaultTtl, found?.mount.maxTtl], [defaultTtl, maxTtl]);
  });
}
