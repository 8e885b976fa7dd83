import { isDeepStrictEqual } from 'node:util';
import type { SealedTransaction } from '../barrier/index.ts';
import type { Engine, Engines, Options, Variant } from '../framework/engine.ts';
import { badRequest, type ServiceError } from '../framework/errors.ts';
import { endMount } from './leases/end-below.ts';
import { mountPath, refuseReserved, refuseUsed } from './mount-path.ts';
import { changeSettings, type Settings } from './mount-settings.ts';
import type { LeaseDefaults, MountEntry } from './mount-table.ts';
import { readMounts, writeMounts } from './state.ts';
import { uuidOf } from './uuid.ts';

/** A mount as its owner asks for it. */
export interface MountRequest {
  readonly kind: Engine['kind'];
  /** Of an auth method without `auth/`; slashes around it do not count. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly options: Options;
  readonly settings: Settings;
  readonly local: boolean;
  readonly sealWrap: boolean;
}

/** What tuning may change besides the settings; undefined stays as it is. */
export interface MountChanges {
  readonly settings: Settings;
  readonly description: string | undefined;
  /** Put over the options there are; an empty one is removed. */
  readonly options: Options | undefined;
}

/** What of the server the rules of mounts depend on. */
export interface MountRules {
  readonly engines: Engines;
  readonly leases: LeaseDefaults;
}

/** Types that are mounted from the first start; they are never enabled, and have no options. */
const BUILT_IN: ReadonlySet<string> = new Set(['system', 'token', 'identity', 'cubbyhole']);

/** All mounts are one record that each node compiles at each change, so it is bounded: bytes of one mount, and of all. */
const MAX_ENTRY_BYTES = 16 * 1024;
const MAX_TABLE_BYTES = 16 * 1024 * 1024;

/**
 * Enables a secrets engine or an auth method (4-open-points: Conventions, Tokens). 400 for a path that is reserved, in
 * use, or above or beneath one in use; for a type that there is not; for options and settings that are none of it.
 */
export async function enableMount(
  tx: SealedTransaction,
  { engines, leases }: MountRules,
  request: MountRequest,
): Promise<MountEntry> {
  const { kind, description, local, sealWrap } = request;
  const path = mountPath(request.path);
  refuseReserved(kind, path);
  const entries = await readMounts(tx);
  refuseUsed(entries, kind, path);
  const found = engines.find(kind, request.type);
  const options = joinOptions(found.options, request.options);
  found.engine.variant(options);
  refuseTokenType(kind, found.engine.type, request.settings);
  refuseLockout(found.engine.variant(options), request.settings);
  const entry: MountEntry = {
    path,
    kind,
    type: found.engine.type,
    uuid: uuidOf(tx.random(16)),
    accessor: freeAccessor(tx, entries, kind === 'auth' ? `auth_${found.engine.type}` : found.engine.type),
    description,
    options: Object.fromEntries(options),
    config: changeSettings({}, request.settings, leases),
    local,
    sealWrap,
  };
  storeMounts(tx, [...entries, entry], entry);
  return entry;
}

/**
 * Disables a mount: it is unreachable with this transaction, and a stored job removes its data. True where there was
 * one; what is not mounted is no mistake (4-open-points, Conventions). 400 for what belongs to the server.
 */
export async function disableMount(tx: SealedTransaction, kind: Engine['kind'], given: string): Promise<boolean> {
  const path = mountPath(given);
  refuseReserved(kind, path);
  const entries = await readMounts(tx);
  const gone = entries.find((entry) => entry.kind === kind && entry.path === path);
  if (gone === undefined) return false;
  writeMounts(
    tx,
    entries.filter((entry) => entry !== gone),
  );
  await endMount(tx, gone);
  return true;
}

/** Changes what can be changed of a mount. 400 where there is none, or where the change makes no sense. */
export async function tuneMount(
  tx: SealedTransaction,
  { engines, leases }: MountRules,
  kind: Engine['kind'],
  given: string,
  changes: MountChanges,
): Promise<void> {
  const path = mountPath(given);
  const entries = await readMounts(tx);
  const old = entries.find((entry) => entry.kind === kind && entry.path === path);
  if (old === undefined) throw noMount();
  refuseTokenType(kind, old.type, changes.settings);
  refuseLockout(variantOf(engines, old), changes.settings);
  const tuned: MountEntry = {
    ...old,
    description: changes.description ?? old.description,
    options: changes.options === undefined ? old.options : tuneOptions(engines, old, changes.options),
    config: changeSettings(old.config, changes.settings, leases),
  };
  refuseUntunable(old, tuned);
  storeMounts(
    tx,
    entries.map((entry) => (entry === old ? tuned : entry)),
    tuned,
  );
}

/** What every client counts on to be as it is. */
const UNTUNABLE: ReadonlySet<string> = new Set(['system', 'identity', 'cubbyhole']);

/** Of these mounts only what audit shows in clear can be set. */
function refuseUntunable(old: MountEntry, tuned: MountEntry): void {
  if (UNTUNABLE.has(old.type) && !isDeepStrictEqual(exceptAudit(old), exceptAudit(tuned))) {
    throw badRequest(
      `path: of this mount only audit_non_hmac_request_keys and audit_non_hmac_response_keys can be tuned`,
    );
  }
}

function exceptAudit({ config, ...rest }: MountEntry): unknown {
  const { auditNonHmacRequestKeys: _, auditNonHmacResponseKeys: __, ...others } = config;
  return { ...rest, config: others };
}

/** 400 of reading or tuning what is not mounted (4-open-points, Conventions). */
export const noMount = (): ServiceError => badRequest('path: there is no mount at this path');

/** The options that the type stands for and those given; 400 where they contradict each other. */
function joinOptions(implied: Options, given: Options): Options {
  for (const [name, value] of implied) {
    if ((given.get(name) ?? value) !== value) throw badRequest('options: contradict the type: leave them out');
  }
  return new Map([...given, ...implied]);
}

function tuneOptions(engines: Engines, { kind, type, options }: MountEntry, given: Options): MountEntry['options'] {
  const tuned = new Map(Object.entries(options));
  for (const [name, value] of given) {
    if (value === '') tuned.delete(name);
    else tuned.set(name, value);
  }
  if (BUILT_IN.has(type)) {
    if (tuned.size > 0) throw badRequest('options: this mount has none');
  } else {
    const { engine } = engines.find(kind, type);
    engine.variant(tuned);
    engine.refuseChange?.(new Map(Object.entries(options)), tuned);
  }
  return Object.fromEntries(tuned);
}

/** Only auth methods give tokens, and the tokens of `auth/token` are of the type they are asked for. */
function refuseTokenType(kind: Engine['kind'], type: string, { token_type: given }: Settings): void {
  if (given === undefined || given === '') return;
  if (kind !== 'auth') throw badRequest('token_type: only an auth method has one');
  if (type === 'token') throw badRequest('token_type: cannot be set for the token method itself');
}

const variantOf = (engines: Engines, { kind, type, options }: MountEntry): Variant | undefined =>
  BUILT_IN.has(type) ? undefined : engines.find(kind, type).engine.variant(new Map(Object.entries(options)));

/** Only methods whose logins can be tried until one succeeds lock users out. */
function refuseLockout(variant: Variant | undefined, { user_lockout_config: given }: Settings): void {
  if (given === undefined || variant?.endpoints.some(({ login }) => login !== undefined)) return;
  throw badRequest('user_lockout_config: a mount of this type locks no users out');
}

/** `<type>_<8 hex>`, of an auth method `auth_<type>_<8 hex>`, unlike any other of the server. */
function freeAccessor(tx: SealedTransaction, entries: readonly MountEntry[], type: string): string {
  const used = new Set(entries.map((entry) => entry.accessor));
  for (;;) {
    const accessor = `${type}_${tx.random(4).toString('hex')}`;
    if (!used.has(accessor)) return accessor;
  }
}

/** Writes the mounts, of which one is new or changed. 400 where that one, or all together, become too large. */
export function storeMounts(tx: SealedTransaction, entries: readonly MountEntry[], changed: MountEntry): void {
  if (bytesOf(changed) > MAX_ENTRY_BYTES) {
    throw badRequest(`description, options, config: must have at most ${MAX_ENTRY_BYTES} bytes together`);
  }
  if (bytesOf(entries) > MAX_TABLE_BYTES) throw badRequest('path: there are too many mounts: unmount some first');
  writeMounts(tx, entries);
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
