import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../sys/context.ts';
import { aliasByFactors, aliasById } from '../../alias.ts';
import { entityByName, findEntity } from '../../entity.ts';
import { LOOKUP_PARAMS, lookUp } from '../../lookup.ts';
import { ENTITY_SCHEMA, entityView, Mounts } from '../../views.ts';

export const lookupEntity = write(
  'lookup/entity',
  {
    summary: 'Look an entity up by its id or name, or by an alias',
    description: 'Answers 204 where there is none.',
    params: LOOKUP_PARAMS,
    answer: ENTITY_SCHEMA,
  },
  async (values, { tx, revision }) => {
    const entity = await lookUp(values, {
      id: async (id) => findEntity(tx, id),
      name: (name) => entityByName(tx, name),
      aliasId: async (id) => (await aliasById(tx, id))?.entity,
      alias: async (accessor, name) => (await aliasByFactors(tx, accessor, name))?.entity,
    });
    return entity === undefined ? noContent : { data: await entityView(tx, new Mounts(revision), entity) };
  },
);
