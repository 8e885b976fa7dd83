import { noContent } from '../../../framework/answer.ts';
import { notFound } from '../../../framework/errors.ts';
import { list, read, remove, write } from '../../../sys/context.ts';
import { findGroup } from '../../group.ts';
import { removeGroup, writeGroup } from '../../group-changes.ts';
import { GROUPS } from '../../keys.ts';
import { groupInfo, LISTED } from '../../listed.ts';
import { givenName, id } from '../../params.ts';
import { GROUP_SCHEMA, groupAnswer, Mounts } from '../../views.ts';
import { GROUP_PARAMS, groupChanges } from '../group.ts';

const ofGroup = { id: id('group') };

export const readGroupById = read(
  'group/id/:id',
  { summary: 'Read a group, with its members', params: ofGroup, answer: GROUP_SCHEMA },
  async ({ id }, { tx, revision }) => {
    const group = await findGroup(tx, id);
    if (group === undefined) throw notFound();
    return groupAnswer(tx, new Mounts(revision), group);
  },
);

export const writeGroupById = write(
  'group/id/:id',
  {
    summary: 'Change a group; what is not given stays as it is',
    params: { ...ofGroup, name: givenName('group'), ...GROUP_PARAMS },
  },
  async ({ id, name, ...values }, { tx }) => {
    await writeGroup(tx, id, groupChanges(name, values));
    return noContent;
  },
);

export const deleteGroupById = remove(
  'group/id/:id',
  { summary: 'Delete a group; its members lose its policies at once', params: ofGroup },
  async ({ id }, { tx, service, after }) => {
    const group = await findGroup(tx, id);
    if (group !== undefined) await removeGroup(tx, group);
    after(async () => service.jobs.wake());
    return noContent;
  },
);

export const listGroupsById = list(
  'group/id',
  { summary: 'List the groups by id', params: {}, answer: LISTED, info: groupInfo },
  async ({ page }, { tx }) => ({ keys: await tx.list({ prefix: GROUPS, ...page }) }),
);
