import { printable } from '../printable.ts';
import type { Answer } from './client.ts';
import { table } from './io.ts';

/** What `sys/seal-status` says, for people. */
export function describeSealStatus(answer: Answer): string {
  const at = (name: string): string => printable(String(answer.get(name) ?? '-'));
  const rows: [string, string][] = [
    ['Initialized', at('initialized')],
    ['Sealed', at('sealed')],
    ['Seal type', at('type')],
    [answer.get('recovery_seal') === true ? 'Recovery shares' : 'Shares', at('n')],
    ['Threshold', at('t')],
  ];
  if (answer.get('sealed') === true) rows.push(['Unseal progress', `${at('progress')}/${at('t')}`]);
  rows.push(['Version', at('version')], ['Cluster name', at('cluster_name')]);
  return table(rows);
}
