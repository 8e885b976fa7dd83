import type { SealedTransaction } from '../barrier/index.ts';

/** Changes whenever a mount or a policy does, or what ends below a path; all compiled from these is good for one revision. */
export const REVISION = 'core/revision';

/** Says that something of these has changed. */
export function changeRevision(tx: SealedTransaction): void {
  tx.put(REVISION, tx.random(16));
}
