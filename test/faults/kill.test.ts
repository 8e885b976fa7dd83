import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveKills } from './kill.ts';

test('a writing server that is killed keeps what it acknowledged, and does nothing by halves', async () => {
  const report = await proveKills(8, 20_261_120, () => {});
  assert.ok(report.acknowledged > 100, `only ${report.acknowledged} requests were acknowledged`);
  assert.ok(report.found + report.absent > 10, 'the kills hit next to no request');
  assert.ok(report.records > 20);
});
