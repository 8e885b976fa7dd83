import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { encodeRecord } from '../framework/record.ts';
import { unpointAlias } from './alias.ts';
import { type EntityRecord, entityByName, entityKey, findEntity, newEntity, type Pairs, putEntity } from './entity.ts';
import { entityNameKey, memberKey, mergedKey } from './keys.ts';

/** What is written of an entity; undefined stays as it is. */
export interface EntityChanges {
  readonly name: string | undefined;
  readonly metadata: Pairs | undefined;
  readonly policies: readonly string[] | undefined;
  readonly disabled: boolean | undefined;
}

/**
 * Changes the entity of an id, or else of the name, or else makes one. Gives it where it is new. 400 for an id that there
 * is not, and for a name that another has.
 */
export async function writeEntity(
  tx: SealedTransaction,
  id: string,
  changes: EntityChanges,
): Promise<EntityRecord | undefined> {
  const { name } = changes;
  const named = name === undefined ? undefined : await entityByName(tx, name);
  const known = id === '' ? named : await findEntity(tx, id);
  if (id !== '' && known === undefined) throw badRequest('id: there is no entity of this id');
  if (named !== undefined && named.id !== known?.id) throw badRequest('name: another entity has this name');
  const before = known ?? (await newEntity(tx, name));
  const entity: EntityRecord = {
    ...before,
    name: name ?? before.name,
    metadata: changes.metadata ?? before.metadata,
    policies: changes.policies ?? before.policies,
    disabled: changes.disabled ?? before.disabled,
    updated: tx.now,
  };
  if (known !== undefined && entity.name !== known.name) {
    tx.delete(entityNameKey(known.name));
    tx.put(entityNameKey(entity.name), encodeRecord(entity.id));
  }
  putEntity(tx, entity);
  return known === undefined ? entity : undefined;
}

/** Removes an entity with its aliases and memberships; its tokens are refused from now on. */
export function removeEntity(tx: SealedTransaction, entity: EntityRecord): void {
  const { id, name, aliases, memberships, merged } = entity;
  tx.delete(entityKey(id));
  tx.delete(entityNameKey(name));
  for (const alias of aliases) unpointAlias(tx, alias);
  for (const membership of memberships) tx.delete(memberKey(membership, id));
  for (const other of merged) tx.delete(mergedKey(other));
}

/** Records that `removeEntity` deletes. */
export const removalCost = ({ aliases, memberships, merged }: EntityRecord): number =>
  2 + 2 * aliases.length + memberships.length + merged.length;
