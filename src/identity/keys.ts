import type { SealedTransaction } from '../barrier/index.ts';
import { foldCase } from '../framework/fold-case.ts';

/** Where identity lies in the store. */

/** The folders of what is listed: each holds one record for each name. */
export const ENTITIES = 'identity/entity/';
export const ENTITY_NAMES = 'identity/entity-name/';
export const ALIASES = 'identity/entity-alias/';
export const GROUPS = 'identity/group/';
export const GROUP_NAMES = 'identity/group-name/';
export const GROUP_ALIASES = 'identity/group-alias/';

/** Changes whenever a group does, but not when an entity joins or leaves one. */
export const GROUPS_REVISION = 'identity/groups-revision';

/** Of an entity that was merged: the one it is part of now. */
export const mergedKey = (id: string): string => `identity/merged/${id}`;

/** The entities of one membership: a record for each. Nothing is ever written again beneath a membership that has ended. */
export const membersFolder = (membership: string): string => `identity/member/${membership}/`;
export const memberKey = (membership: string, entityId: string): string => membersFolder(membership) + entityId;

/** Names of entities and groups are of one letter case. */
export const entityNameKey = (name: string): string => ENTITY_NAMES + foldCase(name);
export const groupNameKey = (name: string): string => GROUP_NAMES + foldCase(name);

/** Where the alias of a name at a mount is found. A keyed hash: who reads the store alone does not learn who logs in. */
export const aliasFactorsKey = (tx: SealedTransaction, accessor: string, name: string): string =>
  `identity/alias-of/${tx.mac('entity-alias', factors(accessor, name))}`;

/** The same of an alias of a group. */
export const groupAliasFactorsKey = (tx: SealedTransaction, accessor: string, name: string): string =>
  `identity/group-alias-of/${tx.mac('group-alias', factors(accessor, name))}`;

// No accessor holds a line feed, so no two pairs give one text.
const factors = (accessor: string, name: string): string => `${accessor}\n${foldCase(name)}`;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text can be the id of something here: what is none is looked up nowhere. */
export const isId = (text: string): boolean => UUID.test(text);
