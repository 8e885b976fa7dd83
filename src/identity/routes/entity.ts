import { type Answer, noContent } from '../../framework/answer.ts';
import { bool, describe, optional } from '../../framework/kinds/index.ts';
import { write } from '../../sys/context.ts';
import type { EntityRecord } from '../entity.ts';
import { writeEntity } from '../entity-changes.ts';
import { givenName, metadata, optionalId, policies } from '../params.ts';

/** What may be said of an entity, besides its name. */
export const ENTITY_PARAMS = {
  metadata,
  policies,
  disabled: describe(optional(bool()), 'its tokens and logins are refused as long as this is true'),
};

export const CREATED = { id: { type: 'string' }, name: { type: 'string' } } as const;

/** The answer of a write: of a new entity its id and name. */
export const entityAnswer = (created: EntityRecord | undefined): Answer =>
  created === undefined ? noContent : { data: { id: created.id, name: created.name, aliases: [] } };

export const writeAnyEntity = write(
  'entity',
  {
    summary: 'Make an entity, or change the one of the id or else of the name',
    description: 'What is not given stays as it is. Answers 204 where the entity was there.',
    params: { id: optionalId('entity to change'), name: givenName('entity'), ...ENTITY_PARAMS },
    answer: CREATED,
  },
  async ({ id, ...changes }, { tx }) => entityAnswer(await writeEntity(tx, id, changes)),
);
