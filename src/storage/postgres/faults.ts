import { type ServiceError, unavailable } from '../../framework/errors.ts';
import { OUTDATED, REFUSED } from './functions.ts';

/** A statement that took longer than it may: its connection is given up, and what it did is not known. */
export class LateStatement extends Error {
  constructor(millis: number) {
    super(`the database did not answer within ${millis} ms`);
    this.name = 'LateStatement';
  }
}

/** SQLSTATEs (PostgreSQL manual, appendix A) of what passes: shutdown, start, standby, no free connection, lost race. */
const PASSING: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25006', '53300', '40001', '40P01']);

const FULL: ReadonlySet<string> = new Set(['53100', '53400', '54000']);
const READ_ONLY = '25006';
/** Canceled by somebody, or the lock that it waited for did not come. */
const TOO_LATE: ReadonlySet<string> = new Set(['57014', '55P03']);
/** An upgrade that leaves this version out may remove its functions. */
const NO_SUCH_FUNCTION = '42883';

/** The SQLSTATE of what the database said, or undefined where it said nothing. Errors of the system have no severity. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'severity' in error && 'code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether trying again may help: the database is away, restarts, or another one takes its place. */
export function isPassing(error: unknown): boolean {
  const state = stateOf(error);
  if (state !== undefined) return PASSING.has(state) || state.startsWith('08');
  return !(error instanceof LateStatement || error instanceof TypeError || error instanceof RangeError);
}

/** What the system says of a server that is not up yet; also its name may be made while machines boot. */
const ABSENT: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** Whether the database may only not be up yet: a wrong password, certificate or name of a database does not pass. */
export function isAbsent(error: unknown): boolean {
  if (stateOf(error) !== undefined) return isPassing(error);
  if (!(error instanceof Error)) return false;
  // Where a connection ends, or does not come in time, the library says so in words alone.
  const said = error instanceof LateStatement || /^(Connection terminated|timeout e)/.test(error.message);
  return said || ('code' in error && ABSENT.has(error.code));
}

/** Whether the connection is of no more use. One to a standby is: its name may lead to the new primary next time. */
export function isSpoilt(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined || state === READ_ONLY || /^(08|57P)/.test(state);
}

/** Whether the database said that the statement was not done. */
export const isRefusal = (error: unknown): boolean =>
  stateOf(error) !== undefined && !/^(08|57P)/.test(String(stateOf(error)));

/**
 * 503 with Retry-After. `uncertain`: it was a write, and some try of it got no answer; it was made whole, or not at all,
 * or it will be before the next write of this node.
 */
export function away(error: unknown, what: 'read' | 'write', uncertain: boolean): ServiceError {
  return Object.assign(unavailable(sentenceOf(stateOf(error), what, uncertain), 1), { cause: error });
}

function sentenceOf(state: string | undefined, what: 'read' | 'write', uncertain: boolean): string {
  if (uncertain || state === REFUSED)
    return 'the store did not confirm the write, which may have been made: look, then try again';
  if (state === OUTDATED || state === NO_SUCH_FUNCTION)
    return 'the store was upgraded for newer servers: this one has to be replaced';
  if (what === 'read') return 'the store does not answer: try again';
  if (state !== undefined && FULL.has(state))
    return 'the store is full: nothing was written; free disk space and try again';
  if (state === READ_ONLY) return 'the store takes no writes at present: nothing was written; try again';
  if (state !== undefined && TOO_LATE.has(state)) return 'the store took too long: nothing was written; try again';
  return 'the store did not take the write: nothing was written; try again';
}
