import { type Answer, noContent } from '../../framework/answer.ts';
import type { Values } from '../../framework/endpoint.ts';
import { describe, enumOf, optional } from '../../framework/kinds/index.ts';
import { write } from '../../sys/context.ts';
import type { GroupRecord } from '../group.ts';
import { type GroupChanges, writeGroup } from '../group-changes.ts';
import { MAX_MEMBER_CHANGES } from '../limits.ts';
import { givenName, ids, metadata, optionalId, policies } from '../params.ts';
import { CREATED } from './entity.ts';

/** What may be said of a group, besides its name. */
export const GROUP_PARAMS = {
  type: describe(optional(enumOf(['', 'internal', 'external'])), 'internal where nothing is said; it never changes'),
  metadata,
  policies,
  member_entity_ids: ids(
    `ids of the entities that are members, and no others; a write changes at most ${MAX_MEMBER_CHANGES}`,
  ),
  member_group_ids: ids('ids of the groups that are members, and no others'),
};

export const groupChanges = (name: string | undefined, values: Values<typeof GROUP_PARAMS>): GroupChanges => ({
  name,
  type: values.type === '' ? undefined : values.type,
  metadata: values.metadata,
  policies: values.policies,
  memberEntityIds: values.member_entity_ids,
  memberGroupIds: values.member_group_ids,
});

/** The answer of a write: of a new group its id and name. */
export const createdAnswer = (created: GroupRecord | undefined): Answer =>
  created === undefined ? noContent : { data: { id: created.id, name: created.name } };

export const writeAnyGroup = write(
  'group',
  {
    summary: 'Make a group, or change the one of the id or else of the name',
    description: 'What is not given stays as it is. Answers 204 where the group was there.',
    params: { id: optionalId('group to change'), name: givenName('group'), ...GROUP_PARAMS },
    answer: CREATED,
  },
  async ({ id, name, ...values }, { tx }) => createdAnswer(await writeGroup(tx, id, groupChanges(name, values))),
);
