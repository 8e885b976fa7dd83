/** What a transaction touches is bounded ("architecture §4", Size), and what a request reads is read whole. */

/** Groups that an entity is a member of, directly or through others: beyond that its tokens and logins are refused. */
export const MAX_GROUPS_OF_ENTITY = 256;

/** Groups that an entity is a direct member of: one login may leave and join as many. */
export const MAX_DIRECT_GROUPS = 128;

/** Aliases of one entity. */
export const MAX_ALIASES_OF_ENTITY = 64;

/** Entities that became part of one. */
export const MAX_MERGED = 128;

/** Members, entities and groups, that one write adds to a group or takes out of it. */
export const MAX_MEMBER_CHANGES = 200;

/** Entities that are members of an internal group, and as many are shown of any. */
export const MAX_MEMBERS = 10_000;

/** Groups that are members of one group. */
export const MAX_MEMBER_GROUPS = 128;

/** Groups that one group is a member of: a write that removes it changes each. */
export const MAX_PARENT_GROUPS = 128;

/** Groups above one group. */
export const MAX_GROUPS_ABOVE = 128;

/** Names of groups that one login brings. */
export const MAX_LOGIN_GROUPS = 256;

/** Bytes of the name of an entity or a group, which is a segment of a path. */
export const MAX_NAME_BYTES = 512;

/** Bytes of the name of an alias. */
export const MAX_ALIAS_NAME_BYTES = 1_024;
