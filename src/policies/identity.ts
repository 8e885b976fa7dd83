/** What the templates of policies may name of who calls (4-open-points, Tokens and policies). */
export interface Identity extends Named {
  /** Changes whenever anything here does: what is compiled for one version is good for it alone. */
  readonly version: string;
  /** By the accessor of their mount; of several on one mount the one of this login (known-attacks A6). */
  readonly aliases: ReadonlyMap<string, Alias>;
  /** Those it is a member of, directly or through other groups. */
  readonly groups: readonly Named[];
}

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly metadata: ReadonlyMap<string, string>;
}

export interface Alias extends Named {
  readonly customMetadata: ReadonlyMap<string, string>;
}
