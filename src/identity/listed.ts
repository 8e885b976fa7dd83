import type { Data } from '../framework/answer.ts';
import type { Schema } from '../framework/kinds/index.ts';
import type { SystemContext } from '../sys/context.ts';
import { ownedAliases } from './alias.ts';
import { findEntities } from './entity.ts';
import { findGroups } from './group.ts';
import { groupsOfAliases } from './group-alias.ts';
import { Mounts } from './views.ts';

/** What lists by id tell of each: `key_info`. */

export const LISTED: Readonly<Record<string, Schema>> = {
  keys: { type: 'array', items: { type: 'string' } },
  key_info: { type: 'object', additionalProperties: { type: 'object', additionalProperties: true } },
};

type From = Pick<SystemContext, 'tx' | 'revision'>;

/** The records of these ids as members by id. */
const members = <T extends { readonly id: string }>(found: readonly T[], tell: (one: T) => Data): Data =>
  Object.fromEntries(found.map((one) => [one.id, tell(one)]));

export async function entityInfo(keys: readonly string[], { tx, revision }: From): Promise<Data> {
  const mounts = new Mounts(revision);
  return members(await findEntities(tx, keys), ({ name, aliases }) => ({
    name,
    aliases: aliases.map((alias) => ({ id: alias.id, name: alias.name, ...mounts.view(alias.accessor) })),
  }));
}

export async function aliasInfo(keys: readonly string[], { tx, revision }: From): Promise<Data> {
  const mounts = new Mounts(revision);
  const owned = await ownedAliases(tx, keys);
  return members(
    owned.map(({ entity, alias }) => ({ entity, ...alias })),
    ({ entity, name, accessor, metadata, customMetadata }) => ({
      name,
      canonical_id: entity.id,
      ...mounts.view(accessor),
      metadata: Object.fromEntries(metadata),
      custom_metadata: Object.fromEntries(customMetadata),
      local: mounts.isLocal(accessor),
    }),
  );
}

export async function groupInfo(keys: readonly string[], { tx, revision }: From): Promise<Data> {
  const mounts = new Mounts(revision);
  return members(await findGroups(tx, keys), ({ name, parents, alias }) => ({
    name,
    num_parent_groups: parents.length,
    ...(alias && { alias: { id: alias.id, name: alias.name, ...mounts.view(alias.accessor) } }),
  }));
}

export async function groupAliasInfo(keys: readonly string[], { tx, revision }: From): Promise<Data> {
  const mounts = new Mounts(revision);
  return members(
    (await groupsOfAliases(tx, keys)).flatMap(({ alias, ...group }) =>
      alias ? [{ ...alias, groupId: group.id }] : [],
    ),
    ({ name, accessor, groupId }) => ({ name, canonical_id: groupId, ...mounts.view(accessor) }),
  );
}
