import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../sys/context.ts';
import { findGroup, groupByName } from '../../group.ts';
import { groupAliasByFactors, groupAliasById } from '../../group-alias.ts';
import { LOOKUP_PARAMS, lookUp } from '../../lookup.ts';
import { GROUP_SCHEMA, groupAnswer, Mounts } from '../../views.ts';

export const lookupGroup = write(
  'lookup/group',
  {
    summary: 'Look a group up by its id or name, or by its alias',
    description: 'Answers 204 where there is none.',
    params: LOOKUP_PARAMS,
    answer: GROUP_SCHEMA,
  },
  async (values, { tx, revision }) => {
    const group = await lookUp(values, {
      id: (id) => findGroup(tx, id),
      name: (name) => groupByName(tx, name),
      aliasId: async (id) => (await groupAliasById(tx, id))?.group,
      alias: async (accessor, name) => (await groupAliasByFactors(tx, accessor, name))?.group,
    });
    return group === undefined ? noContent : groupAnswer(tx, new Mounts(revision), group);
  },
);
