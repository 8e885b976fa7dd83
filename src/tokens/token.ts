/** A token as it is stored, under the keyed hash of its value; the value itself is nowhere. */
export interface TokenRecord {
  readonly accessor: string;
  /** Sorted; `root` alone for a root token. */
  readonly policies: readonly string[];
  readonly displayName: string;
  /** Where it came from: `auth/token/create`. */
  readonly path: string;
  /** Pairs, as names that a user chose are no names of members here. */
  readonly metadata: readonly (readonly [string, string])[];
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Milliseconds since 1970; absent where it never expires. */
  readonly expires?: number;
  /** Seconds, as given at creation; 0 where it never expires. */
  readonly ttl: number;
  readonly explicitMaxTtl: number;
  readonly period: number;
  readonly renewable: boolean;
  /** Uses that are left; 0 is unlimited. A token whose last use is spent is gone. */
  readonly numUses: number;
  /** Storage keys of the tokens that it dies with, its parent first; empty for an orphan. */
  readonly ancestors: readonly Ancestor[];
  readonly entityId: string;
  readonly holds?: Holding;
}

/** The policy of wrapping tokens: the server alone gives it. */
export const WRAPPING_POLICY = 'response-wrapping';

/** What lies in the store beside a token, and goes with it. */
export type Holding = HeldAnswer | HeldCubbyhole;

/** A wrapped answer: makes its token a wrapping token. */
export interface HeldAnswer {
  readonly kind: 'answer';
  /** Storage key of the note that has the token looked at when its time is up. */
  readonly due: string;
  readonly status: number;
  /** Absent for JSON. */
  readonly contentType?: string;
  /** Of the token that the answer carries. */
  readonly wrappedAccessor?: string;
}

/** All that was written to the token's cubbyhole. */
export interface HeldCubbyhole {
  readonly kind: 'cubbyhole';
  readonly due: string;
  /** Where it lies; ends in `/`. */
  readonly prefix: string;
}

/** One life of a token: its key may be given again once it is gone, its accessor never. */
export interface Ancestor {
  readonly key: string;
  readonly accessor: string;
}

/** Generations of tokens: a token of the last one creates none. */
export const MAX_ANCESTORS = 32;
