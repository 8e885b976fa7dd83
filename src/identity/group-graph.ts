import type { SealedTransaction } from '../barrier/index.ts';
import { Lru } from '../framework/lru.ts';
import type { EntityRecord } from './entity.ts';
import { decodeGroup, type GroupRecord, groupIdOf, groupKey, membershipOf } from './group.ts';
import { GROUPS_REVISION } from './keys.ts';
import { MAX_GROUPS_OF_ENTITY } from './limits.ts';

/** Enough for ten thousand groups. */
const MAX_BYTES = 12 * 1024 * 1024;
/** About what a record takes in memory, for each of its bytes. */
const MEMORY_FACTOR = 3;

/** The groups of an entity: those it is a member of itself, and those it is in through others. */
export interface Memberships {
  readonly direct: readonly GroupRecord[];
  readonly inherited: readonly GroupRecord[];
}

/** The mounts of one revision of the server. */
export interface Mounted {
  hasAccessor(accessor: string): boolean;
}

const NONE: Memberships = { direct: [], inherited: [] };

/**
 * The groups of one revision, as far as they were asked for: good for as long as the revision's record is the same, which
 * each request reads. It lives with the keys of the barrier, and goes with them.
 */
class GroupGraph {
  /** Null where there is none. */
  readonly #groups = new Lru<GroupRecord | null>(MAX_BYTES);
  readonly #memberships = new WeakMap<EntityRecord, { readonly at: Mounted; readonly memberships: Memberships }>();

  /** Undefined where they are too many. */
  async of(tx: SealedTransaction, entity: EntityRecord, at: Mounted): Promise<Memberships | undefined> {
    const known = this.#memberships.get(entity);
    if (known?.at === at) return known.memberships;
    const alive = new Set(entity.memberships);
    const groups = await this.#read(tx, entity.memberships.map(groupIdOf));
    const direct = groups.filter(
      (group) => alive.has(membershipOf(group)) && (group.alias === undefined || at.hasAccessor(group.alias.accessor)),
    );
    const found = new Map(direct.map((group) => [group.id, group]));
    for (let level: readonly GroupRecord[] = direct; level.length > 0; ) {
      const above = new Set(level.flatMap(({ parents }) => parents).filter((id) => !found.has(id)));
      if (found.size + above.size > MAX_GROUPS_OF_ENTITY) return undefined;
      level = await this.#read(tx, [...above]);
      for (const group of level) found.set(group.id, group);
    }
    const memberships = { direct, inherited: [...found.values()].slice(direct.length) };
    this.#memberships.set(entity, { at, memberships });
    return memberships;
  }

  /** Those of the groups that there are. */
  async #read(tx: SealedTransaction, ids: readonly string[]): Promise<readonly GroupRecord[]> {
    const found = new Map(ids.map((id) => [id, this.#groups.get(id)]));
    const unknown = ids.filter((id) => found.get(id) === undefined);
    const records = unknown.length === 0 ? [] : await tx.getMany(unknown.map(groupKey));
    for (const [i, id] of unknown.entries()) {
      const plain = records[i];
      const group = plain === undefined ? null : decodeGroup(plain);
      this.#groups.set(id, group, (plain?.length ?? id.length) * MEMORY_FACTOR);
      found.set(id, group);
    }
    return [...found.values()].flatMap((group) => group ?? []);
  }
}

const decodeRevision = (): GroupGraph => new GroupGraph();

/**
 * The groups of an entity as they are in this snapshot, for one read where nothing has changed since they were asked for
 * last. Undefined where they are more than `MAX_GROUPS_OF_ENTITY`.
 * @param mounts the same object as long as they are the same; without them a group of a mount that is gone counts too
 */
export async function membershipsOf(
  tx: SealedTransaction,
  entity: EntityRecord,
  mounts: Mounted = ANY,
): Promise<Memberships | undefined> {
  if (entity.memberships.length === 0) return NONE;
  const graph = await tx.cached(GROUPS_REVISION, decodeRevision, MAX_BYTES);
  return graph === undefined ? NONE : graph.of(tx, entity, mounts);
}

const ANY: Mounted = { hasAccessor: () => true };
