import type { Engine } from '../framework/engine.ts';
import { badRequest, type ServiceError } from '../framework/errors.ts';
import type { MountEntry } from './mount-table.ts';

/** What nobody mounts or unmounts: it is there from the first, or kept for what is to come. By first segment. */
const RESERVED: Readonly<Record<Engine['kind'], ReadonlySet<string>>> = {
  secret: new Set(['sys', 'auth', 'identity', 'cubbyhole', 'audit']),
  auth: new Set(['token']),
};

/**
 * The one form of a mount's path: without slashes around it, one slash behind it; of an auth method without `auth/`.
 * It comes from the path of a canonical request, so `..`, `//` and control characters are gone already. 400 where empty.
 */
export function mountPath(given: string): string {
  let start = 0;
  let end = given.length;
  while (given.charAt(start) === '/') start += 1;
  while (end > start && given.charAt(end - 1) === '/') end -= 1;
  if (start === end) throw badRequest('path: is required: give the path of a mount, such as secret');
  return `${given.slice(start, end)}/`;
}

/** 400 for a path that no owner may mount or unmount (4-open-points, Conventions: reserved paths). */
export function refuseReserved(kind: Engine['kind'], path: string): void {
  const first = path.slice(0, path.indexOf('/'));
  if (RESERVED[kind].has(first)) {
    throw badRequest(`path: path is already in use: what begins with ${first}/ belongs to the server`);
  }
}

/** 400 where the path is one in use, or lies above or beneath one. It does not say which: the caller may not know it. */
export function refuseUsed(entries: readonly MountEntry[], kind: Engine['kind'], path: string): void {
  for (const entry of entries) {
    if (entry.kind === kind && (path.startsWith(entry.path) || entry.path.startsWith(path))) throw used();
  }
}

const used = (): ServiceError => badRequest('path: path is already in use, or lies above or beneath one in use');
