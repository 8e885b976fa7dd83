import { noContent } from '../../../framework/answer.ts';
import { notFound } from '../../../framework/errors.ts';
import { list, read, remove, write } from '../../../sys/context.ts';
import { findEntity } from '../../entity.ts';
import { removeEntity, writeEntity } from '../../entity-changes.ts';
import { ENTITIES } from '../../keys.ts';
import { entityInfo, LISTED } from '../../listed.ts';
import { givenName, id } from '../../params.ts';
import { ENTITY_SCHEMA, entityView, Mounts } from '../../views.ts';
import { ENTITY_PARAMS } from '../entity.ts';

const ofEntity = { id: id('entity') };

export const readEntityById = read(
  'entity/id/:id',
  { summary: 'Read an entity, with its aliases and groups', params: ofEntity, answer: ENTITY_SCHEMA },
  async ({ id }, { tx, revision }) => {
    const entity = await findEntity(tx, id);
    if (entity === undefined) throw notFound();
    return { data: await entityView(tx, new Mounts(revision), entity) };
  },
);

export const writeEntityById = write(
  'entity/id/:id',
  {
    summary: 'Change an entity; what is not given stays as it is',
    params: { ...ofEntity, name: givenName('entity'), ...ENTITY_PARAMS },
  },
  async ({ id, ...changes }, { tx }) => {
    await writeEntity(tx, id, changes);
    return noContent;
  },
);

export const deleteEntityById = remove(
  'entity/id/:id',
  { summary: 'Delete an entity with its aliases; its tokens are refused from then on', params: ofEntity },
  async ({ id }, { tx }) => {
    const entity = await findEntity(tx, id);
    if (entity !== undefined) removeEntity(tx, entity);
    return noContent;
  },
);

export const listEntitiesById = list(
  'entity/id',
  { summary: 'List the entities by id', params: {}, answer: LISTED, info: entityInfo },
  async ({ page }, { tx }) => ({ keys: await tx.list({ prefix: ENTITIES, ...page }) }),
);
