import { noContent } from '../../../framework/answer.ts';
import { badRequest, notFound } from '../../../framework/errors.ts';
import { list, read, remove, write } from '../../../sys/context.ts';
import { groupByName } from '../../group.ts';
import { removeGroup, writeGroup } from '../../group-changes.ts';
import { GROUP_NAMES } from '../../keys.ts';
import { checkName, name, optionalId } from '../../params.ts';
import { GROUP_SCHEMA, groupAnswer, Mounts } from '../../views.ts';
import { CREATED } from '../entity.ts';
import { createdAnswer, GROUP_PARAMS, groupChanges } from '../group.ts';

export const readGroupByName = read(
  'group/name/:name',
  { summary: 'Read a group by its name', params: { name }, answer: GROUP_SCHEMA },
  async ({ name }, { tx, revision }) => {
    const group = await groupByName(tx, name);
    if (group === undefined) throw notFound();
    return groupAnswer(tx, new Mounts(revision), group);
  },
);

export const writeGroupByName = write(
  'group/name/:name',
  {
    summary: 'Make or change the group of a name; what is not given stays as it is',
    description: 'Answers 204 where the group was there.',
    params: { name, id: optionalId('group that has the name, if given'), ...GROUP_PARAMS },
    answer: CREATED,
  },
  async ({ name, id, ...values }, { tx }) => {
    // A name that is another's is not changed by an id beside it (known-attacks B5).
    const known = await groupByName(tx, name);
    if (id !== '' && id !== known?.id) throw badRequest('id: is of another group than the name: leave it out');
    return createdAnswer(await writeGroup(tx, '', groupChanges(checkName('name', name), values)));
  },
);

export const deleteGroupByName = remove(
  'group/name/:name',
  { summary: 'Delete the group of a name', params: { name } },
  async ({ name }, { tx, service, after }) => {
    const group = await groupByName(tx, name);
    if (group !== undefined) await removeGroup(tx, group);
    after(async () => service.jobs.wake());
    return noContent;
  },
);

export const listGroupsByName = list(
  'group/name',
  { summary: 'List the names of the groups, in lower case', params: {} },
  async ({ page }, { tx }) => ({ keys: await tx.list({ prefix: GROUP_NAMES, ...page }) }),
);
