/** For tests: what tokens are to be, as plainly as it can be said: a list in which each names its parent. */

const DEFAULT_TTL = 3_600;
const MAX_TTL = 7_200;

/** What is asked of a new token; seconds, 0 where nothing is said. */
export interface Wish {
  readonly batch: boolean;
  readonly orphan: boolean;
  readonly ttl: number;
  readonly period: number;
  readonly explicitMaxTtl: number;
  readonly uses: number;
}

export interface ModelToken {
  readonly wish: Wish;
  /** Its place in the list; undefined for an orphan. */
  parent: number | undefined;
  readonly created: number;
  expires: number;
  /** Seconds that were given last. */
  lastTtl: number;
  /** 0 is unlimited. */
  uses: number;
  gone: boolean;
  /** The mount that gave it; undefined for the one of tokens. */
  readonly mount: string | undefined;
}

/** What is seen of a token that is alive. */
export interface Sight {
  readonly ttl: number;
  readonly orphan: boolean;
  readonly uses: number;
}

export class TreeModel {
  readonly tokens: ModelToken[] = [];
  readonly mounts = new Set<string>();
  now: number;

  constructor(now: number) {
    this.now = now;
  }

  alive(token: ModelToken | undefined): token is ModelToken {
    if (token === undefined || token.gone || token.expires <= this.now) return false;
    if (token.mount !== undefined && !this.mounts.has(token.mount)) return false;
    return token.parent === undefined || this.alive(this.tokens[token.parent]);
  }

  sight(token: ModelToken): Sight | undefined {
    if (!this.alive(token)) return undefined;
    const ttl = Math.ceil((token.expires - this.now) / 1_000);
    return { ttl, orphan: token.parent === undefined, uses: token.uses };
  }

  /** The status of the answer. */
  create(by: number | undefined, wish: Wish, mount?: string): number {
    const parent = by === undefined ? undefined : this.tokens[by];
    if (by !== undefined) {
      if (!this.alive(parent)) return 403;
      if (this.#spend(parent) || parent.wish.batch) return 400;
    }
    if (wish.batch && (wish.period > 0 || wish.explicitMaxTtl > 0 || wish.uses > 0)) return 400;
    const ttl = least(wish.period || wish.ttl || DEFAULT_TTL, MAX_TTL, wish.explicitMaxTtl || MAX_TTL);
    this.tokens.push({
      // An end beyond the maximum is the maximum, for a periodic token too.
      wish: { ...wish, explicitMaxTtl: least(wish.explicitMaxTtl, MAX_TTL) },
      parent: wish.orphan ? undefined : by,
      created: this.now,
      expires: this.now + ttl * 1_000,
      lastTtl: ttl,
      uses: wish.uses,
      gone: false,
      mount,
    });
    return 200;
  }

  /** Renewed by somebody else. */
  renew(at: number, increment: number): number {
    const token = this.tokens[at];
    if (!this.alive(token) || token.wish.batch) return 400;
    const { period, explicitMaxTtl } = token.wish;
    const end = period > 0 ? explicitMaxTtl : least(MAX_TTL, explicitMaxTtl || MAX_TTL);
    const usual = token.mount === undefined ? token.lastTtl : token.wish.ttl;
    const asked = least(period || increment || usual, MAX_TTL, explicitMaxTtl || MAX_TTL);
    const last = end === 0 ? Number.POSITIVE_INFINITY : token.created + end * 1_000;
    if (last <= this.now) return 400;
    token.expires = least(this.now + asked * 1_000, last);
    token.lastTtl = Math.ceil((token.expires - this.now) / 1_000);
    return 200;
  }

  use(at: number): number {
    const token = this.tokens[at];
    if (!this.alive(token)) return 403;
    this.#spend(token);
    return 200;
  }

  /** By somebody else; what has ended already may be revoked again. */
  revoke(at: number): number {
    const token = this.tokens[at];
    if (token?.wish.batch) return this.alive(token) ? 400 : 204;
    if (token !== undefined) token.gone = true;
    return 204;
  }

  revokeSelf(at: number): number {
    const token = this.tokens[at];
    if (!this.alive(token)) return 403;
    if (token.wish.batch) return 400;
    token.gone = true;
    return 204;
  }

  revokeAlone(at: number): number {
    const token = this.tokens[at];
    if (!this.alive(token) || token.wish.batch) return 400;
    token.gone = true;
    for (const child of this.tokens) if (child.parent === at) child.parent = undefined;
    return 204;
  }

  /** Takes a use where they are counted; the last one ends the token. True where they are counted. */
  #spend(token: ModelToken): boolean {
    if (token.wish.uses === 0) return false;
    token.uses--;
    if (token.uses === 0) token.gone = true;
    return true;
  }
}

const least = (...values: readonly number[]): number => Math.min(...values);
