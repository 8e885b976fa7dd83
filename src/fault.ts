import { EXIT } from './failure.ts';
import type { Logger } from './log.ts';

/** A fault of ours that nobody caught ends the process: its state is unknown, what was acknowledged is on disk. */
export function endOnFault(log: Logger, end: () => void = () => process.exit(EXIT.failed)): void {
  process.on('uncaughtException', (error) => {
    log.error('the process ends: a fault of its own', { error });
    end();
  });
}

/**
 * Ends a process that has a store open. An orderly exit waits for the threads of the store, one of which may wait for this
 * one, with the lock in its hand: then it would never end, and no other process could write.
 */
export const endAtOnce = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
