import { EXIT } from './failure.ts';
import type { Logger } from './log.ts';

/** A fault of ours that nobody caught ends the process: its state is unknown, what was acknowledged is on disk. */
export function endOnFault(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.error('the process ends: a fault of its own', { error });
    process.exit(EXIT.failed);
  });
}
