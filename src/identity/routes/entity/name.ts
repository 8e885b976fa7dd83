import { noContent } from '../../../framework/answer.ts';
import { badRequest, notFound } from '../../../framework/errors.ts';
import { list, read, remove, write } from '../../../sys/context.ts';
import { entityByName } from '../../entity.ts';
import { removeEntity, writeEntity } from '../../entity-changes.ts';
import { ENTITY_NAMES } from '../../keys.ts';
import { checkName, name, optionalId } from '../../params.ts';
import { ENTITY_SCHEMA, entityView, Mounts } from '../../views.ts';
import { CREATED, ENTITY_PARAMS, entityAnswer } from '../entity.ts';

export const readEntityByName = read(
  'entity/name/:name',
  { summary: 'Read an entity by its name', params: { name }, answer: ENTITY_SCHEMA },
  async ({ name }, { tx, revision }) => {
    const entity = await entityByName(tx, name);
    if (entity === undefined) throw notFound();
    return { data: await entityView(tx, new Mounts(revision), entity) };
  },
);

export const writeEntityByName = write(
  'entity/name/:name',
  {
    summary: 'Make or change the entity of a name; what is not given stays as it is',
    description: 'Answers 204 where the entity was there.',
    params: { name, id: optionalId('entity that has the name, if given'), ...ENTITY_PARAMS },
    answer: CREATED,
  },
  async ({ name, id, ...changes }, { tx }) => {
    // A name that is another's is not changed by an id beside it (known-attacks B5).
    const known = await entityByName(tx, name);
    if (id !== '' && id !== known?.id) throw badRequest('id: is of another entity than the name: leave it out');
    return entityAnswer(await writeEntity(tx, '', { name: checkName('name', name), ...changes }));
  },
);

export const deleteEntityByName = remove(
  'entity/name/:name',
  { summary: 'Delete the entity of a name', params: { name } },
  async ({ name }, { tx }) => {
    const entity = await entityByName(tx, name);
    if (entity !== undefined) removeEntity(tx, entity);
    return noContent;
  },
);

export const listEntitiesByName = list(
  'entity/name',
  { summary: 'List the names of the entities, in lower case', params: {} },
  async ({ page }, { tx }) => ({ keys: await tx.list({ prefix: ENTITY_NAMES, ...page }) }),
);
