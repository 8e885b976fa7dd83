import { badRequest } from '../framework/errors.ts';

/** What decides how long a token or a lease lives on; seconds, 0 for not set; times in milliseconds since 1970. */
export interface LifetimeWish {
  /** Names the wish in warnings and refusals. */
  readonly field: string;
  readonly ttl: number;
  readonly period: number;
  /** Of the role or user. */
  readonly maxTtl: number;
  readonly explicitMaxTtl: number;
  /** When it was given out: no renewal goes beyond the maximum counted from then (known-attacks B6). */
  readonly issued: number;
}

/** The limits of the mount, seconds. */
export interface LifetimeLimits {
  readonly defaultTtl: number;
  readonly maxTtl: number;
}

export interface Lifetime {
  /** Whole seconds from now, a begun one counted. */
  readonly ttl: number;
  /** The end itself, milliseconds since 1970: never beyond a maximum, not by a part of a second either. */
  readonly expires: number;
  readonly warnings: readonly string[];
}

/**
 * How long something lives from now on: as wished, else as the mount says, cut with a warning where a maximum is nearer. A
 * period is given anew each time, and only an explicit maximum ends it. 400 where the maximum is reached.
 */
export function lifetime(wish: LifetimeWish, limits: LifetimeLimits, now: number): Lifetime {
  const { field, period, explicitMaxTtl } = wish;
  const most = least(limits.maxTtl, wish.maxTtl, explicitMaxTtl);
  const asked = period > 0 ? period : wish.ttl || limits.defaultTtl;
  // A periodic token lives as often as it is renewed, so only its explicit maximum counts from its beginning.
  const end = period > 0 ? explicitMaxTtl : most;
  const last = end > 0 ? wish.issued + end * 1_000 : Number.POSITIVE_INFINITY;
  const left = Math.min(most, Math.ceil((last - now) / 1_000));
  if (left <= 0) throw badRequest(`${field}: the maximum lifetime is reached: it cannot be renewed any more`);
  const ttl = Math.min(asked, left);
  const expires = Math.min(now + ttl * 1_000, last);
  if (asked <= left) return { ttl, expires, warnings: [] };
  // What nobody asked for is cut in silence.
  const wanted = period > 0 || wish.ttl > 0;
  return {
    ttl,
    expires,
    warnings: wanted ? [`${field}: ${asked} s is more than the ${left} s that are left, which hold instead`] : [],
  };
}

const least = (most: number, ...others: readonly number[]): number =>
  others.reduce((least, other) => (other > 0 ? Math.min(least, other) : least), most);
