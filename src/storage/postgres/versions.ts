/**
 * The versions of the values that were read, by the values themselves: what a transaction has read comes back with its
 * commit, and its versions with it, for no longer than somebody holds the value.
 */
export class Versions {
  readonly #versions = new WeakMap<Buffer, number>();

  set(value: Buffer, version: number): void {
    this.#versions.set(value, version);
  }

  /** 0 for a missing record. */
  of(value: Buffer | undefined): number {
    if (value === undefined) return 0;
    const version = this.#versions.get(value);
    if (version === undefined) throw new Error('a value to be validated was not read from this store');
    return version;
  }
}
