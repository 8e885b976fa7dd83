import type { SealedTransaction } from '../barrier/index.ts';
import { fullPath, type MountEntry } from '../core/mount-table.ts';
import type { Revision } from '../core/state.ts';
import type { Answer, Data } from '../framework/answer.ts';
import type { Schema } from '../framework/kinds/index.ts';
import type { AliasRecord, EntityRecord, Pairs } from './entity.ts';
import type { GroupAliasRecord, GroupRecord } from './group.ts';
import { membershipsOf } from './group-graph.ts';
import { memberEntities } from './group-members.ts';
import { MAX_MEMBERS } from './limits.ts';

/** Only the root namespace exists. */
const NAMESPACE = 'root';

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const time: Schema = { type: 'string', format: 'date-time' };
const map: Schema = { type: 'object', additionalProperties: text };
const flag: Schema = { type: 'boolean' };

/** The mounts by their accessors, for what shows many aliases. */
export class Mounts {
  readonly table: Revision['mounts'];
  readonly #byAccessor: ReadonlyMap<string, MountEntry>;

  constructor({ mounts }: Pick<Revision, 'mounts'>) {
    this.table = mounts;
    this.#byAccessor = new Map(mounts.entries.map((entry) => [entry.accessor, entry]));
  }

  readonly has = (accessor: string): boolean => this.#byAccessor.has(accessor);

  /** Where an alias is good; nothing of a mount that is gone. */
  view(accessor: string): Data {
    const entry = this.#byAccessor.get(accessor);
    return {
      mount_accessor: accessor,
      ...(entry === undefined ? {} : { mount_path: fullPath(entry), mount_type: entry.type }),
    };
  }

  isLocal(accessor: string): boolean {
    return this.#byAccessor.get(accessor)?.local ?? false;
  }
}

const times = ({ created, updated }: { readonly created: number; readonly updated: number }): Data => ({
  creation_time: new Date(created).toISOString(),
  last_update_time: new Date(updated).toISOString(),
});

const mapOf = (pairs: Pairs): Data => Object.fromEntries(pairs);

export const ENTITY_SCHEMA: Readonly<Record<string, Schema>> = {
  id: text,
  name: text,
  metadata: map,
  policies: texts,
  disabled: flag,
  aliases: { type: 'array', items: { type: 'object', additionalProperties: true } },
  direct_group_ids: texts,
  inherited_group_ids: texts,
  group_ids: texts,
  merged_entity_ids: texts,
  namespace_id: text,
  creation_time: time,
  last_update_time: time,
};

/** All that is told of an entity, its groups included. */
export async function entityView(tx: SealedTransaction, mounts: Mounts, entity: EntityRecord): Promise<Data> {
  const { direct, inherited } = (await membershipsOf(tx, entity, mounts.table)) ?? { direct: [], inherited: [] };
  const [directIds, inheritedIds] = [direct.map(({ id }) => id), inherited.map(({ id }) => id)];
  return {
    id: entity.id,
    name: entity.name,
    metadata: mapOf(entity.metadata),
    policies: entity.policies,
    disabled: entity.disabled,
    aliases: entity.aliases.map((alias) => aliasView(mounts, entity.id, alias)),
    direct_group_ids: directIds,
    inherited_group_ids: inheritedIds,
    group_ids: [...directIds, ...inheritedIds],
    merged_entity_ids: entity.merged,
    namespace_id: NAMESPACE,
    ...times(entity),
  };
}

export const ALIAS_SCHEMA: Readonly<Record<string, Schema>> = {
  id: text,
  canonical_id: text,
  name: text,
  mount_accessor: text,
  mount_path: text,
  mount_type: text,
  metadata: map,
  custom_metadata: map,
  merged_from_canonical_ids: texts,
  local: flag,
  namespace_id: text,
  creation_time: time,
  last_update_time: time,
};

export const aliasView = (mounts: Mounts, entityId: string, alias: AliasRecord): Data => ({
  id: alias.id,
  canonical_id: entityId,
  name: alias.name,
  ...mounts.view(alias.accessor),
  metadata: mapOf(alias.metadata),
  custom_metadata: mapOf(alias.customMetadata),
  merged_from_canonical_ids: alias.mergedFrom,
  local: mounts.isLocal(alias.accessor),
  namespace_id: NAMESPACE,
  ...times(alias),
});

export const GROUP_SCHEMA: Readonly<Record<string, Schema>> = {
  id: text,
  name: text,
  type: text,
  metadata: map,
  policies: texts,
  member_entity_ids: { ...texts, nullable: true },
  member_group_ids: { ...texts, nullable: true },
  parent_group_ids: texts,
  alias: { type: 'object', additionalProperties: true },
  modify_index: { type: 'integer' },
  namespace_id: text,
  creation_time: time,
  last_update_time: time,
};

/** The answer that tells all of a group; of very many members the first ones by their ids. */
export async function groupAnswer(tx: SealedTransaction, mounts: Mounts, group: GroupRecord): Promise<Answer> {
  const members = await memberEntities(tx, group);
  const data = groupView(mounts, group, members);
  if (members.length < MAX_MEMBERS) return { data };
  return { data, warnings: [`member_entity_ids: shows the first ${MAX_MEMBERS} members; there may be more`] };
}

function groupView(mounts: Mounts, group: GroupRecord, members: readonly string[]): Data {
  const isExternal = group.type === 'external';
  return {
    id: group.id,
    name: group.name,
    type: group.type,
    metadata: mapOf(group.metadata),
    policies: group.policies,
    // Clients of the family know an external group without members by null.
    member_entity_ids: isExternal && members.length === 0 ? null : members,
    member_group_ids: isExternal ? null : group.members,
    parent_group_ids: group.parents,
    alias: group.alias === undefined ? {} : groupAliasView(mounts, group.id, group.alias),
    modify_index: group.modified,
    namespace_id: NAMESPACE,
    ...times(group),
  };
}

export const groupAliasView = (mounts: Mounts, groupId: string, alias: GroupAliasRecord): Data => ({
  id: alias.id,
  canonical_id: groupId,
  name: alias.name,
  ...mounts.view(alias.accessor),
  metadata: {},
  custom_metadata: {},
  merged_from_canonical_ids: [],
  local: mounts.isLocal(alias.accessor),
  namespace_id: NAMESPACE,
  ...times(alias),
});
