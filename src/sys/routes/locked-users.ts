import { lockedUsers } from '../../core/locked-users.ts';
import type { Data } from '../../framework/answer.ts';
import { describe, string } from '../../framework/kinds/index.ts';
import { read } from '../context.ts';

/** Users with failures that one answer looks at. */
const MAX_LOOKED_AT = 10_000;

export const readLockedUsers = read(
  'locked-users',
  {
    summary: 'List the users whom failed logins have locked out',
    params: { mount_accessor: describe(string(''), 'only users of this auth method') },
    answer: {
      total: { type: 'integer' },
      by_namespace: { type: 'array', items: { type: 'object', additionalProperties: true } },
    },
  },
  async ({ mount_accessor: accessor }, { tx, revision }) => {
    const methods = revision.mounts.entries.filter(
      (entry) => entry.kind === 'auth' && (accessor === '' || entry.accessor === accessor),
    );
    const found: {
      readonly mount_accessor: string;
      readonly counts: number;
      readonly alias_identifiers: readonly string[];
    }[] = [];
    let left = MAX_LOOKED_AT;
    for (const entry of methods) {
      const locked = await lockedUsers(tx, entry, left);
      left = locked.left;
      const { names } = locked;
      if (names.length > 0)
        found.push({ mount_accessor: entry.accessor, counts: names.length, alias_identifiers: names });
    }
    const total = found.reduce((sum, { counts }) => sum + counts, 0);
    const root: Data = {
      namespace_id: 'root',
      namespace_path: '',
      counts: total,
      mount_accessors: found.sort((a, b) => b.counts - a.counts),
    };
    const warnings = left > 0 ? [] : [`only the first ${MAX_LOOKED_AT} users with failed logins were looked at`];
    return { data: { by_namespace: [root], total }, warnings };
  },
);
