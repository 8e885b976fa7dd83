import { findMigration } from '../../../core/remount.ts';
import { notFound } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { read } from '../../context.ts';

export const readMigration = read(
  'remount/status/:migration_id',
  {
    summary: 'What became of a move of a mount',
    params: { migration_id: describe(string(), 'as sys/remount answered it; the last 64 are known') },
    answer: {
      migration_id: { type: 'string' },
      migration_info: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
  async ({ migration_id }, { tx }) => {
    const migration = await findMigration(tx, migration_id);
    if (migration === undefined) throw notFound();
    const { id, source, target } = migration;
    // A move is one transaction: one that did not succeed was refused, and has no id.
    const info = { source_mount: source, target_mount: target, status: 'success' };
    return { data: { migration_id: id, migration_info: info } };
  },
);
