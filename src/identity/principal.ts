import type { SealedTransaction } from '../barrier/index.ts';
import type { Identity } from '../policies/index.ts';
import { type EntityRecord, leadingEntity } from './entity.ts';
import { type Memberships, type Mounted, membershipsOf } from './group-graph.ts';

/** Whom a token or a login stands for. */
export interface Principal {
  /** Of the entity, which is another than the one asked for where that was merged. */
  readonly entityId: string;
  /** Sorted names: those of the entity and of all its groups, direct and inherited. */
  readonly policies: readonly string[];
  /** What the templates of policies may name. */
  readonly identity: Identity;
}

/**
 * Whom an entity's id stands for at this moment: one read, and one more where the entity is in groups. Undefined where it
 * is gone, disabled, or in more groups than can be told: then who comes in its name is refused (4-open-points, Identity).
 * @param mounts those that there are: what an entity joined by logins at one that is gone counts no more
 */
export async function principalOf(
  tx: SealedTransaction,
  entityId: string,
  mounts: Mounted,
): Promise<Principal | undefined> {
  const entity = await leadingEntity(tx, entityId);
  if (entity === undefined || entity.disabled) return undefined;
  const memberships = await membershipsOf(tx, entity, mounts);
  if (memberships === undefined) return undefined;
  const known = principals.get(entity);
  if (known?.of === memberships) return known.principal;
  const principal = principalFrom(entity, memberships);
  principals.set(entity, { of: memberships, principal });
  return principal;
}

/** Made once for what the cache of records holds, and gone with it. */
const principals = new WeakMap<EntityRecord, { readonly of: Memberships; readonly principal: Principal }>();

let versions = 0;

function principalFrom(entity: EntityRecord, { direct, inherited }: Memberships): Principal {
  const groups = [...direct, ...inherited];
  const policies = new Set([...entity.policies, ...groups.flatMap((group) => group.policies)]);
  const aliases = entity.aliases.map(
    ({ id, name, accessor, metadata, customMetadata }) =>
      [accessor, { id, name, metadata: new Map(metadata), customMetadata: new Map(customMetadata) }] as const,
  );
  versions += 1;
  return {
    entityId: entity.id,
    policies: [...policies].sort(),
    identity: {
      // What is compiled for it is kept in this process alone.
      version: `${versions}`,
      id: entity.id,
      name: entity.name,
      metadata: new Map(entity.metadata),
      aliases: new Map(aliases),
      groups: groups.map(({ id, name, metadata }) => ({ id, name, metadata: new Map(metadata) })),
    },
  };
}
