import { noContent } from '../../../framework/answer.ts';
import { bool, describe, string, stringList } from '../../../framework/kinds/index.ts';
import { write } from '../../../sys/context.ts';
import { mergeEntities } from '../../merge.ts';

export const mergeInto = write(
  'entity/merge',
  {
    summary: 'Make entities part of another one, with their aliases and groups',
    description: 'Their tokens are its tokens from then on. Policies and metadata are not taken over.',
    params: {
      to_entity_id: describe(string(''), 'id of the entity that stays'),
      from_entity_ids: describe(stringList([]), 'ids of the entities that become part of it'),
      conflicting_alias_ids_to_keep: describe(
        stringList([]),
        'where both have an alias at one mount, the ids of those that stay; then with one entity at a time',
      ),
      force: describe(bool(false), 'has no effect: there are no secrets of the same method to choose from'),
    },
  },
  async (values, { tx }) => {
    const { to_entity_id: into, from_entity_ids: from, conflicting_alias_ids_to_keep: keep } = values;
    await mergeEntities(tx, { into, from, keep });
    return noContent;
  },
);
