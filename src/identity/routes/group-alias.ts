import { type Answer, noContent } from '../../framework/answer.ts';
import type { Values } from '../../framework/endpoint.ts';
import { describe, string } from '../../framework/kinds/index.ts';
import { type SystemWriteContext, write } from '../../sys/context.ts';
import { writeGroupAlias } from '../group-alias-changes.ts';
import { optionalId } from '../params.ts';
import { checkAliasName } from '../texts.ts';
import { Mounts } from '../views.ts';
import { POINTED } from './entity-alias.ts';

/** What may be said of the alias of a group. */
export const GROUP_ALIAS_PARAMS = {
  name: describe(string(''), 'what the mount calls the group; letter case does not count'),
  mount_accessor: describe(string(''), 'accessor of the mount'),
  canonical_id: optionalId('external group'),
};

/** Writes the alias of a group, and answers both ids, or nothing where nothing changed. */
export async function answerGroupAlias(
  id: string,
  values: Values<typeof GROUP_ALIAS_PARAMS>,
  { tx, revision, service, after }: Pick<SystemWriteContext, 'tx' | 'revision' | 'service' | 'after'>,
): Promise<Answer> {
  const name = values.name === '' ? '' : checkAliasName('name', values.name);
  const changes = { name, accessor: values.mount_accessor, canonicalId: values.canonical_id };
  const written = await writeGroupAlias(tx, id, changes, new Mounts(revision).has);
  after(async () => service.jobs.wake());
  return written === undefined ? noContent : { data: { id: written.alias.id, canonical_id: written.group.id } };
}

export const writeAnyGroupAlias = write(
  'group-alias',
  {
    summary: 'Make the alias of an external group, or change the one of the id',
    description: 'Without `canonical_id` a new alias gets a new group. Answers 204 where nothing changes.',
    params: { id: optionalId('alias to change'), ...GROUP_ALIAS_PARAMS },
    answer: POINTED,
  },
  ({ id, ...values }, context) => answerGroupAlias(id, values, context),
);
