/** A token as it is stored, under the keyed hash of its value; the value itself is nowhere. A batch token is this, sealed. */
export interface TokenRecord {
  /** Empty for a batch token, which nothing can name. */
  readonly accessor: string;
  readonly type: 'service' | 'batch';
  /** Sorted; `root` alone for a root token. */
  readonly policies: readonly string[];
  readonly displayName: string;
  /** Where it came from: `auth/token/create`. */
  readonly path: string;
  /** The auth method that gave it, with which it ends; absent for the first root token and for wrapping tokens. */
  readonly origin?: Origin;
  /** Pairs, as names that a user chose are no names of members here. */
  readonly metadata: readonly (readonly [string, string])[];
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Milliseconds since 1970; absent where it never expires. */
  readonly expires?: number;
  /** Milliseconds since 1970, of the last renewal. */
  readonly renewed?: number;
  /** Seconds, as given at creation; 0 where it never expires. */
  readonly ttl: number;
  /** Seconds, as given last: what a renewal without an increment gives again. */
  readonly lastTtl?: number;
  readonly explicitMaxTtl: number;
  readonly period: number;
  readonly renewable: boolean;
  /** Uses that are left; 0 is unlimited. A token whose last use is spent is gone. */
  readonly numUses: number;
  /** Storage keys of the tokens that it dies with, its parent first; empty for an orphan. */
  readonly ancestors: readonly Ancestor[];
  /** Empty for none. */
  readonly entityId: string;
  /** Blocks of addresses that may use it; absent for all. */
  readonly boundCidrs?: readonly string[];
  /** The token role it was made by. */
  readonly role?: string;
  /** What its auth method is given to renew it: a token without is no login. */
  readonly login?: string;
  /** Storage key of the note that has it looked at when its time is up; absent where it has none. */
  readonly due?: string;
  readonly holds?: Holding;
  /** Whether leases were given to it, which end with it. */
  readonly leased?: true;
}

/** A mount by its uuid, and the path within it, as it was asked for. */
export interface Origin {
  readonly mount: string;
  readonly path: string;
}

/** What lies in the store beside a token, and goes with it. */
export type Holding = HeldAnswer | HeldCubbyhole;

/** A wrapped answer: makes its token a wrapping token. */
export interface HeldAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Absent for JSON. */
  readonly contentType?: string;
  /** Of the token that the answer carries. */
  readonly wrappedAccessor?: string;
}

/** All that was written to the token's cubbyhole. */
export interface HeldCubbyhole {
  readonly kind: 'cubbyhole';
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
