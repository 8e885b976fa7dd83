import type { Values } from '../framework/endpoint.ts';
import { badRequest } from '../framework/errors.ts';
import { describe, string } from '../framework/kinds/index.ts';

/** What an entity or a group is looked up by. */
export const LOOKUP_PARAMS = {
  id: describe(string(''), 'its id'),
  name: describe(string(''), 'its name; letter case does not count'),
  alias_id: describe(string(''), 'the id of an alias of it'),
  alias_name: describe(string(''), 'the name of an alias of it, with alias_mount_accessor'),
  alias_mount_accessor: describe(string(''), 'accessor of the mount of the alias, with alias_name'),
};

/** How each of the ways to look up goes; undefined on a miss. */
export interface Lookup<T> {
  id(id: string): Promise<T | undefined>;
  name(name: string): Promise<T | undefined>;
  aliasId(id: string): Promise<T | undefined>;
  alias(accessor: string, name: string): Promise<T | undefined>;
}

/** Looks up by the one way that is given. 400 where there is none, more than one, or half of one. */
export async function lookUp<T>(values: Values<typeof LOOKUP_PARAMS>, ways: Lookup<T>): Promise<T | undefined> {
  const { id, name, alias_id: aliasId, alias_name: aliasName, alias_mount_accessor: accessor } = values;
  if ((aliasName === '') !== (accessor === '')) {
    throw badRequest('alias_name, alias_mount_accessor: both must be given');
  }
  const given = [id, name, aliasId, aliasName].filter((value) => value !== '');
  if (given.length === 0) {
    throw badRequest('id: is required, or name, alias_id, or alias_name with alias_mount_accessor');
  }
  if (given.length > 1) throw badRequest('id, name, alias_id, alias_name: only one way to look up can be given');
  if (id !== '') return ways.id(id);
  if (name !== '') return ways.name(name);
  return aliasId === '' ? ways.alias(accessor, aliasName) : ways.aliasId(aliasId);
}
