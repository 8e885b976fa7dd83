import type { Listing } from './store.ts';

/** Names from which a listing is worth keeping: so each that is kept counts for its question, which callers choose, too. */
const LEAST = 64;

/**
 * Listings as they were at one number of commits: while nothing is written, a folder that is listed again is not walked
 * again. Bounded by the names it holds.
 */
export class Listings {
  readonly #maxNames: number;
  readonly #known = new Map<string, readonly string[]>();
  #commits = -1;
  #names = 0;

  constructor(maxNames: number) {
    this.#maxNames = maxNames;
  }

  /** The names that `walk` gives; `commits` says of which state of the store. */
  get(commits: number, { prefix, after, limit }: Listing, walk: () => readonly string[]): readonly string[] {
    if (commits !== this.#commits) this.#restart(commits);
    const question = `${limit} ${prefix}\0${after}`;
    const known = this.#known.get(question);
    if (known !== undefined) return known;
    const names = walk();
    // A page of a longer folder is cheap to find again; whole folders are what costs.
    if (names.length === limit || names.length < LEAST || names.length > this.#maxNames) return names;
    if (this.#names + names.length > this.#maxNames) this.#restart(commits);
    this.#known.set(question, names);
    this.#names += names.length;
    return names;
  }

  #restart(commits: number): void {
    this.#commits = commits;
    this.#known.clear();
    this.#names = 0;
  }
}
