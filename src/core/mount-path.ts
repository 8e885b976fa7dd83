import type { Engine } from '../framework/engine.ts';
import { badRequest, type ServiceError } from '../framework/errors.ts';
import type { MountEntry } from './mount-table.ts';
import { refuseUncanonical } from './path.ts';

/** What nobody mounts or unmounts: it is there from the first, or kept for what is to come. By first segment. */
const RESERVED: Readonly<Record<Engine['kind'], ReadonlySet<string>>> = {
  secret: new Set(['sys', 'auth', 'identity', 'cubbyhole', 'audit']),
  auth: new Set(['token']),
};

/**
 * The one form of a mount's path: without slashes around it, one slash behind it; of an auth method without `auth/`.
 * It comes from the path of a canonical request, so `..`, `//` and control characters are gone already. 400 where empty.
 */
export function mountPath(given: string, field = 'path'): string {
  let start = 0;
  let end = given.length;
  while (given.charAt(start) === '/') start += 1;
  while (end > start && given.charAt(end - 1) === '/') end -= 1;
  if (start === end) throw badRequest(`${field}: is required: give the path of a mount, such as secret`);
  return `${given.slice(start, end)}/`;
}

const AUTH = 'auth/';

/** A mount by its kind and its path, which of an auth method is without `auth/`. */
export type MountAddress = Pick<MountEntry, 'kind' | 'path'>;

/** The mount that a full path names, in the one form of it; `auth/` before it says that it is an auth method. */
export function mountAddress(given: string, field = 'path'): MountAddress {
  const path = mountPath(given, field);
  const auth = path.startsWith(AUTH) && path !== AUTH;
  return auth ? { kind: 'auth', path: mountPath(path.slice(AUTH.length), field) } : { kind: 'secret', path };
}

/** Bytes of a path that stands in a body: it must leave room in a request's path for what is asked of the mount. */
const MAX_GIVEN_BYTES = 512;

/** The same for what stands in a body, where a path may be anything: 400 for what no request's path can be. */
export function givenAddress(given: string, field: string): MountAddress {
  refuseUncanonical(field, given);
  if (Buffer.byteLength(given) > MAX_GIVEN_BYTES)
    throw badRequest(`${field}: must have at most ${MAX_GIVEN_BYTES} bytes`);
  if (mountPath(given, field).includes('//')) throw badRequest(`${field}: must have one slash between its segments`);
  return mountAddress(given, field);
}

/** 400 for a path that no owner may mount, unmount or move (4-open-points, Conventions: reserved paths). */
export function refuseReserved(kind: Engine['kind'], path: string, field = 'path'): void {
  const first = path.slice(0, path.indexOf('/'));
  if (RESERVED[kind].has(first)) {
    throw badRequest(`${field}: path is already in use: what begins with ${first}/ belongs to the server`);
  }
}

/** 400 where the path is one in use, or lies above or beneath one. It does not say which: the caller may not know it. */
export function refuseUsed(entries: readonly MountEntry[], kind: Engine['kind'], path: string, field = 'path'): void {
  for (const entry of entries) {
    if (entry.kind === kind && (path.startsWith(entry.path) || entry.path.startsWith(path))) throw used(field);
  }
}

const used = (field: string): ServiceError =>
  badRequest(`${field}: path is already in use, or lies above or beneath one in use`);
