import type { Mount } from '../framework/context.ts';
import { type HeaderRules, headerRules } from './mount-headers.ts';

/** What an owner may set of a mount; seconds; absent where the default of the server holds. */
export interface MountConfig {
  readonly defaultLeaseTtl?: number;
  readonly maxLeaseTtl?: number;
  readonly forceNoCache?: boolean;
  readonly listingVisibility?: 'unauth' | 'hidden';
  readonly passthroughRequestHeaders?: readonly string[];
  readonly allowedResponseHeaders?: readonly string[];
  readonly auditNonHmacRequestKeys?: readonly string[];
  readonly auditNonHmacResponseKeys?: readonly string[];
  readonly tokenType?: Mount['tokenType'];
  readonly lockout?: LockoutConfig;
}

/** What an owner may set of the lockout of users after failed logins; seconds; absent where the default holds. */
export interface LockoutConfig {
  /** Failures. */
  readonly threshold?: number;
  readonly duration?: number;
  readonly counterReset?: number;
  readonly disabled?: boolean;
}

/** One mount as it is stored. Its data lies under its uuid, so that a rename moves nothing. */
export interface MountEntry {
  /** Ends in `/`; of an auth method without `auth/`. */
  readonly path: string;
  readonly kind: 'secret' | 'auth';
  readonly type: string;
  readonly uuid: string;
  readonly accessor: string;
  readonly description: string;
  readonly options: Readonly<Record<string, string>>;
  readonly config: MountConfig;
  readonly local: boolean;
  readonly sealWrap: boolean;
}

/** Lifetimes that hold where a mount sets none, in seconds. */
export interface LeaseDefaults {
  readonly defaultTtl: number;
  readonly maxTtl: number;
}

/** The full path of a mount: that of an auth method starts with `auth/`. */
export const fullPath = (entry: MountEntry): string => (entry.kind === 'auth' ? `auth/${entry.path}` : entry.path);

/** A mount as it is stored, and what is made of that for requests. */
export interface Compiled {
  readonly entry: MountEntry;
  readonly mount: Mount;
  readonly headers: HeaderRules;
}

/** The mount of a request path, and the table it stands in. */
export interface Located extends Compiled {
  /** The path within the mount. */
  readonly relative: string;
}

/** All mounts of one revision, compiled for look-ups by path. */
export class MountTable {
  readonly entries: readonly MountEntry[];
  readonly #byPath = new Map<string, Compiled>();
  readonly #byUuid = new Map<string, Compiled>();
  readonly #accessors = new Set<string>();

  constructor(entries: readonly MountEntry[], defaults: LeaseDefaults) {
    this.entries = entries;
    for (const entry of entries) {
      const compiled = { entry, mount: describeMount(entry, defaults), headers: headerRules(entry.config) };
      this.#byPath.set(fullPath(entry), compiled);
      this.#byUuid.set(entry.uuid, compiled);
      this.#accessors.add(entry.accessor);
    }
  }

  hasAccessor(accessor: string): boolean {
    return this.#accessors.has(accessor);
  }

  /** The mount that a canonical request path lies in; `team/kv` alone is the root of `team/kv/`. */
  locate(path: string): Located | undefined {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const found = this.#byPath.get(path.slice(0, slash + 1));
      if (found !== undefined) return { ...found, relative: path.slice(slash + 1) };
    }
    const root = this.#byPath.get(`${path}/`);
    return root === undefined ? undefined : { ...root, relative: '' };
  }

  /** The mount of exactly this full path, with or without its last slash. */
  at(path: string): MountEntry | undefined {
    return this.#byPath.get(path.endsWith('/') ? path : `${path}/`)?.entry;
  }

  /** The mount of this uuid, under whatever path it is now. */
  byUuid(uuid: string): Compiled | undefined {
    return this.#byUuid.get(uuid);
  }

  mountOf(entry: MountEntry): Mount | undefined {
    return this.#byPath.get(fullPath(entry))?.mount;
  }
}

function describeMount(entry: MountEntry, defaults: LeaseDefaults): Mount {
  const maxTtl = entry.config.maxLeaseTtl ?? defaults.maxTtl;
  return {
    path: fullPath(entry),
    uuid: entry.uuid,
    accessor: entry.accessor,
    type: entry.type,
    options: new Map(Object.entries(entry.options)),
    // The server's maximum may have become less since the mount was tuned.
    defaultTtl: Math.min(entry.config.defaultLeaseTtl ?? defaults.defaultTtl, maxTtl),
    maxTtl,
    tokenType: entry.config.tokenType ?? 'default-service',
  };
}
