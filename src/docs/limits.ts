import { MAX_SECRET_ID_BYTES } from '../auth/approle/params.ts';
import { MAX_PASSWORD_BYTES } from '../auth/userpass/password.ts';
import { MAX_PATH_BYTES, MAX_SEGMENT_BYTES } from '../core/path.ts';
import { MAX_POLICIES } from '../core/state.ts';
import { MAX_VERSIONS } from '../engines/kv/params.ts';
import { maxDepth, maxValues } from '../framework/json/index.ts';
import { MAX_NAME_LENGTH } from '../framework/name.ts';
import { MAX_POLICY_NAME_LENGTH } from '../framework/policy-name.ts';
import {
  MAX_ALIASES_OF_ENTITY,
  MAX_GROUPS_ABOVE,
  MAX_GROUPS_OF_ENTITY,
  MAX_MEMBER_CHANGES,
  MAX_MEMBERS,
  MAX_NAME_BYTES,
} from '../identity/limits.ts';
import {
  MAX_NESTING,
  MAX_PARAMETERS,
  MAX_POLICY_BYTES,
  MAX_RULES,
  MAX_TEMPLATED_RULES,
  MAX_VALUES,
} from '../policies/limits.ts';
import { MAX_ANCESTORS } from '../tokens/token.ts';
import { MAX_CHOSEN_LENGTH } from '../tokens/value.ts';
import { table } from './markdown.ts';

/** Limits that no setting changes; beyond each of them a request is refused with 400. */
const LIMITS: readonly (readonly [what: string, limit: number, unit: string])[] = [
  ['canonical path, behind `/v1/`', MAX_PATH_BYTES, 'bytes'],
  ['one segment of it', MAX_SEGMENT_BYTES, 'bytes'],
  ['JSON: objects and lists in each other', maxDepth, ''],
  ['JSON: members and elements in all', maxValues, ''],
  ['versions kept of a secret', MAX_VERSIONS, ''],
  ['text of a policy', MAX_POLICY_BYTES, 'bytes'],
  ['rules of a policy', MAX_RULES, ''],
  ['rules of a policy with templates', MAX_TEMPLATED_RULES, ''],
  ['parameters that a key of a rule names', MAX_PARAMETERS, ''],
  ['values that a rule lists for a parameter', MAX_VALUES, ''],
  ['nesting in the text of a policy', MAX_NESTING, ''],
  ['name of a policy', MAX_POLICY_NAME_LENGTH, 'characters'],
  ['policies of one caller, those of its groups among them', MAX_POLICIES, ''],
  ['generations of tokens', MAX_ANCESTORS, ''],
  ['groups that an entity is in, directly or through others', MAX_GROUPS_OF_ENTITY, ''],
  ['aliases of an entity', MAX_ALIASES_OF_ENTITY, ''],
  ['members that one write changes of a group', MAX_MEMBER_CHANGES, ''],
  ['entities in an internal group', MAX_MEMBERS, ''],
  ['groups above a group, and groups in it', MAX_GROUPS_ABOVE, ''],
  ['name of an entity or a group', MAX_NAME_BYTES, 'bytes'],
  ['a token value that is chosen', MAX_CHOSEN_LENGTH, 'characters'],
  ['name of a user of userpass, or of a role of approle', MAX_NAME_LENGTH, 'characters'],
  ['a password', MAX_PASSWORD_BYTES, 'bytes'],
  ['a secret id that is chosen', MAX_SECRET_ID_BYTES, 'bytes'],
];

/** The table of fixed limits. */
export const fixedLimits = (): string =>
  table(
    ['what', 'at most'],
    LIMITS.map(([what, limit, unit]) => [what, `${limit.toLocaleString('en')} ${unit}`.trim()]),
  );
