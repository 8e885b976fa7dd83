/** What one client, and all together, may take of the server. Sizes in bytes, times in milliseconds. */
export interface Limits {
  /** One header line without its CRLF; beyond: 431. */
  readonly headerLineBytes: number;
  /** The whole head with its request line; beyond: 431. */
  readonly headerBytes: number;
  /** Header lines; beyond: 431. */
  readonly headerCount: number;
  /** The request target; beyond: 414. */
  readonly targetBytes: number;
  /** One decoded body; exactly this many pass, beyond: 413 (4-open-points, Conventions). */
  readonly bodyBytes: number;
  /**
   * Received bytes of all bodies whose answer is not yet made, and of all that waits unread; beyond: 503 with Retry-After.
   * As much again for answers of known length that go out in pieces: who reads slowly must not hold all memory.
   */
  readonly bodiesInFlightBytes: number;
  /** Open connections; a further one gets 503 and is closed. */
  readonly connections: number;
  /** Requests of one connection answered in a row before the other connections have their turn. */
  readonly pipelined: number;
  /** Bytes taken from a connection while one of its answers is being made; reading stops then. */
  readonly readAheadBytes: number;
  /** From the first byte of a head to its end; beyond: 408. */
  readonly headMillis: number;
  /** A body without progress; beyond: 408. It is also what a body slower than `bodyBytesPerSecond` has in hand. */
  readonly bodyMillis: number;
  /** Slowest mean rate of a body; below: 408. */
  readonly bodyBytesPerSecond: number;
  /** A connection without a request; then it is closed. */
  readonly idleMillis: number;
  /** An answer of which the client takes nothing; then the connection is cut. */
  readonly writeMillis: number;
  /** How long a closing connection waits for the client's end, so that the last answer is not lost to a reset. */
  readonly lingerMillis: number;
}

export const DEFAULT_LIMITS: Limits = {
  headerLineBytes: 8 * 1024,
  headerBytes: 64 * 1024,
  headerCount: 100,
  targetBytes: 8 * 1024,
  bodyBytes: 33_554_432,
  bodiesInFlightBytes: 1024 * 1024 * 1024,
  connections: 10_000,
  pipelined: 64,
  readAheadBytes: 64 * 1024,
  headMillis: 10_000,
  bodyMillis: 60_000,
  bodyBytesPerSecond: 16 * 1024,
  idleMillis: 60_000,
  writeMillis: 30_000,
  lingerMillis: 2_000,
};
