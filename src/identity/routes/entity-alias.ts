import { type Answer, noContent } from '../../framework/answer.ts';
import type { Values } from '../../framework/endpoint.ts';
import { describe, older, string } from '../../framework/kinds/index.ts';
import { type SystemWriteContext, write } from '../../sys/context.ts';
import { writeAlias } from '../alias-changes.ts';
import { customMetadata, optionalId } from '../params.ts';
import { checkAliasName } from '../texts.ts';
import { Mounts } from '../views.ts';

/** What may be said of an alias. */
export const ALIAS_PARAMS = {
  name: describe(string(''), 'what the mount calls who logs in; letter case does not count'),
  mount_accessor: describe(string(''), 'accessor of the mount'),
  canonical_id: optionalId('entity'),
  entity_id: older('canonical_id', string('')),
  custom_metadata: customMetadata,
};

export const POINTED = { id: { type: 'string' }, canonical_id: { type: 'string' } } as const;

/** Writes an alias, and answers its id and that of its entity, or nothing where nothing changed. */
export async function answerAlias(
  id: string,
  values: Values<typeof ALIAS_PARAMS>,
  { tx, revision }: Pick<SystemWriteContext, 'tx' | 'revision'>,
): Promise<Answer> {
  const name = values.name === '' ? '' : checkAliasName('name', values.name);
  const changes = {
    name,
    accessor: values.mount_accessor,
    canonicalId: values.canonical_id || values.entity_id,
    customMetadata: values.custom_metadata,
  };
  const written = await writeAlias(tx, id, changes, new Mounts(revision).has);
  return written === undefined ? noContent : { data: { id: written.alias.id, canonical_id: written.entity.id } };
}

export const writeAnyAlias = write(
  'entity-alias',
  {
    summary: 'Make an alias, or change the one of the id or else of the name at the mount',
    description: 'Without `canonical_id` a new alias gets a new entity. Answers 204 where nothing changes.',
    params: { id: optionalId('alias to change'), ...ALIAS_PARAMS },
    answer: POINTED,
  },
  ({ id, ...values }, context) => answerAlias(id, values, context),
);
