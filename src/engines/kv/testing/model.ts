/**
 * What KV v2 is, said as plainly as can be and without the engine's code: maps of plain values, no storage, no limits of
 * size. The property test compares the engine with it. Times are milliseconds since 1970, lifetimes seconds.
 */

/** An answer as far as the model tells it; no `data` is a status alone. */
export interface Told {
  readonly status: number;
  readonly data?: unknown;
}

type Plain = Readonly<Record<string, unknown>>;

interface ModelVersion {
  readonly created: number;
  deletion: number | undefined;
  destroyed: boolean;
  readonly data: Plain;
}

interface ModelSettings {
  max_versions: number;
  cas_required: boolean;
  delete_version_after: number;
}

interface ModelSecret extends ModelSettings {
  readonly created: number;
  updated: number;
  current: number;
  readonly versions: Map<number, ModelVersion>;
  custom_metadata: Map<string, string>;
}

/** What a metadata write may set; a patch may hold nulls. */
export interface Changes {
  readonly max_versions?: number | null;
  readonly cas_required?: boolean | null;
  readonly delete_version_after?: number | null;
  readonly custom_metadata?: Readonly<Record<string, string | null>> | null;
}

const miss: Told = { status: 404 };
const refused: Told = { status: 400 };
const done: Told = { status: 204 };
const time = (ms: number): string => new Date(ms).toISOString();

export class Model {
  readonly #config: ModelSettings = { max_versions: 0, cas_required: false, delete_version_after: 0 };
  readonly #secrets = new Map<string, ModelSecret>();

  configure(changes: Partial<ModelSettings>): Told {
    Object.assign(this.#config, changes);
    return done;
  }

  write(now: number, path: string, data: Plain, cas?: number): Told {
    const current = this.#secrets.get(path)?.current ?? 0;
    if (!this.#casAllows(path, current, cas)) return refused;
    const secret = this.#secrets.get(path) ?? this.#create(now, path);
    secret.current += 1;
    secret.updated = now;
    const version = { created: now, deletion: this.#deletion(now, secret), destroyed: false, data };
    secret.versions.set(secret.current, version);
    const kept = secret.max_versions || this.#config.max_versions || 10;
    for (const number of [...secret.versions.keys()])
      if (number <= secret.current - kept) secret.versions.delete(number);
    return { status: 200, data: this.#describe(secret, secret.current, version) };
  }

  patch(now: number, path: string, data: Plain, cas?: number): Told {
    const secret = this.#secrets.get(path);
    if (secret === undefined) return miss;
    if (cas === 0 || !this.#casAllows(path, secret.current, cas)) return refused;
    const version = secret.versions.get(secret.current);
    if (version === undefined) return miss;
    if (gone(version, now)) return { status: 404, data: this.#describe(secret, secret.current, version) };
    return this.write(now, path, merge(version.data, data), secret.current);
  }

  read(now: number, path: string, number: number, show: (data: Plain) => Plain = (data) => data, as = 'data'): Told {
    const secret = this.#secrets.get(path);
    const wanted = number || secret?.current || 0;
    const version = secret?.versions.get(wanted);
    if (secret === undefined || version === undefined) return miss;
    const metadata = this.#describe(secret, wanted, version);
    if (gone(version, now)) return { status: 404, data: { [as]: null, metadata } };
    return { status: 200, data: { [as]: show(version.data), metadata } };
  }

  subkeys(now: number, path: string, number: number): Told {
    return this.read(now, path, number, hollow, 'subkeys');
  }

  removeLatest(now: number, path: string): Told {
    return this.delete(now, path, [this.#secrets.get(path)?.current ?? 0]);
  }

  delete(now: number, path: string, numbers: readonly number[]): Told {
    for (const version of this.#living(path, numbers)) {
      if (!gone(version, now)) version.deletion = now;
    }
    return done;
  }

  undelete(now: number, path: string, numbers: readonly number[]): Told {
    const secret = this.#secrets.get(path);
    for (const version of this.#living(path, numbers)) version.deletion = secret && this.#deletion(now, secret);
    return done;
  }

  destroy(path: string, numbers: readonly number[]): Told {
    for (const version of this.#living(path, numbers)) version.destroyed = true;
    return done;
  }

  setMetadata(now: number, path: string, changes: Changes): Told {
    if (Object.keys(changes).length === 0) return done;
    const secret = this.#secrets.get(path) ?? this.#create(now, path);
    return this.#change(
      now,
      secret,
      { ...changes, ...(changes.custom_metadata ? { custom_metadata: null } : {}) },
      changes,
    );
  }

  patchMetadata(now: number, path: string, changes: Changes): Told {
    const secret = this.#secrets.get(path);
    if (secret === undefined) return miss;
    return Object.keys(changes).length === 0 ? done : this.#change(now, secret, changes);
  }

  metadata(path: string): Told {
    const secret = this.#secrets.get(path);
    if (secret === undefined) return miss;
    const numbers = [...secret.versions.keys()];
    const oldest = Math.min(...numbers);
    const versions = [...secret.versions].map(([number, version]) => [String(number), times(version)]);
    const data = {
      cas_required: secret.cas_required,
      created_time: time(secret.created),
      current_version: secret.current,
      custom_metadata: pairs(secret),
      delete_version_after: `${secret.delete_version_after}s`,
      max_versions: secret.max_versions,
      oldest_version: numbers.length > 0 && oldest > 1 ? oldest : 0,
      updated_time: time(secret.updated),
      versions: Object.fromEntries(versions),
    };
    return { status: 200, data };
  }

  removeMetadata(path: string): Told {
    this.#secrets.delete(path);
    return done;
  }

  list(folder: string): Told {
    const inside = [...this.#secrets.keys()]
      .filter((path) => path.startsWith(folder))
      .map((path) => path.slice(folder.length));
    const names = new Set(inside.map((rest) => (rest.includes('/') ? `${rest.split('/', 1)[0]}/` : rest)));
    return names.size === 0 ? miss : { status: 200, data: { keys: [...names].sort() } };
  }

  /** Which data has to be in the store: path and number of each version that can still be read or undeleted. */
  stored(): readonly string[] {
    const all = [...this.#secrets].flatMap(([path, { versions }]) =>
      [...versions].filter(([, { destroyed }]) => !destroyed).map(([number]) => `${path}/${number}`),
    );
    return all.sort();
  }

  #create(now: number, path: string): ModelSecret {
    const settings = { max_versions: 0, cas_required: false, delete_version_after: 0, custom_metadata: new Map() };
    const secret = { ...settings, created: now, updated: now, current: 0, versions: new Map<number, ModelVersion>() };
    this.#secrets.set(path, secret);
    return secret;
  }

  #casAllows(path: string, current: number, cas: number | undefined): boolean {
    const required = this.#config.cas_required || this.#secrets.get(path)?.cas_required === true;
    return cas === undefined ? !required : cas === current;
  }

  #deletion(now: number, secret: ModelSecret): number | undefined {
    const engine = this.#config.delete_version_after;
    const own = secret.delete_version_after;
    if (engine < 0 || (engine === 0 && own === 0)) return undefined;
    if (engine === 0 || own === 0) return now + (engine + own) * 1000;
    return now + Math.min(engine, own) * 1000;
  }

  #living(path: string, numbers: readonly number[]): readonly ModelVersion[] {
    const versions = this.#secrets.get(path)?.versions ?? new Map<number, ModelVersion>();
    return [...versions]
      .filter(([number, { destroyed }]) => numbers.includes(number) && !destroyed)
      .map(([, version]) => version);
  }

  #change(now: number, secret: ModelSecret, ...steps: readonly Changes[]): Told {
    for (const { max_versions, cas_required, delete_version_after, custom_metadata } of steps) {
      if (max_versions !== undefined) secret.max_versions = max_versions ?? 0;
      if (cas_required !== undefined) secret.cas_required = cas_required ?? false;
      if (delete_version_after !== undefined) secret.delete_version_after = delete_version_after ?? 0;
      if (custom_metadata === null) secret.custom_metadata = new Map();
      for (const [name, value] of Object.entries(custom_metadata ?? {})) {
        if (value === null) secret.custom_metadata.delete(name);
        else secret.custom_metadata.set(name, value);
      }
    }
    secret.updated = now;
    const useless =
      this.#config.cas_required && steps.some((step) => step.cas_required === false || step.cas_required === null);
    return useless ? { status: 200 } : done;
  }

  #describe(secret: ModelSecret, number: number, version: ModelVersion): Plain {
    return { ...times(version), custom_metadata: pairs(secret), version: number };
  }
}

const gone = ({ deletion, destroyed }: ModelVersion, now: number): boolean =>
  destroyed || (deletion !== undefined && deletion <= now);

const times = ({ created, deletion, destroyed }: ModelVersion): Plain => ({
  created_time: time(created),
  deletion_time: deletion === undefined ? '' : time(deletion),
  destroyed,
});

const pairs = (secret: ModelSecret) =>
  secret.custom_metadata.size === 0 ? null : Object.fromEntries(secret.custom_metadata);

const isMap = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396, word for word. */
function merge(target: unknown, patch: Plain): Plain {
  const merged: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = isMap(value) ? merge(merged[name], value) : value;
  }
  return merged;
}

const hollow = (data: Plain): Plain =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      isMap(value) && Object.keys(value).length > 0 ? hollow(value) : null,
    ]),
  );
