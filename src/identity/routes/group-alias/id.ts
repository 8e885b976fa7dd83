import { noContent } from '../../../framework/answer.ts';
import { notFound } from '../../../framework/errors.ts';
import { list, read, remove, write } from '../../../sys/context.ts';
import { groupAliasById } from '../../group-alias.ts';
import { removeGroupAlias } from '../../group-alias-changes.ts';
import { GROUP_ALIASES } from '../../keys.ts';
import { groupAliasInfo, LISTED } from '../../listed.ts';
import { id } from '../../params.ts';
import { ALIAS_SCHEMA, groupAliasView, Mounts } from '../../views.ts';
import { POINTED } from '../entity-alias.ts';
import { answerGroupAlias, GROUP_ALIAS_PARAMS } from '../group-alias.ts';

const ofAlias = { id: id('alias') };

export const readGroupAlias = read(
  'group-alias/id/:id',
  { summary: 'Read the alias of a group', params: ofAlias, answer: ALIAS_SCHEMA },
  async ({ id }, { tx, revision }) => {
    const owned = await groupAliasById(tx, id);
    if (owned === undefined) throw notFound();
    return { data: groupAliasView(new Mounts(revision), owned.group.id, owned.alias) };
  },
);

export const writeGroupAliasById = write(
  'group-alias/id/:id',
  {
    summary: 'Change the alias of a group, or give it to another group',
    description: 'Who joined the group by what it was called before is no member then, until the next login.',
    params: { ...ofAlias, ...GROUP_ALIAS_PARAMS },
    answer: POINTED,
  },
  ({ id, ...values }, context) => answerGroupAlias(id, values, context),
);

export const deleteGroupAlias = remove(
  'group-alias/id/:id',
  { summary: 'Delete the alias of a group; who joined by it leaves the group', params: ofAlias },
  async ({ id }, { tx, service, after }) => {
    const owned = await groupAliasById(tx, id);
    if (owned !== undefined) removeGroupAlias(tx, owned);
    after(async () => service.jobs.wake());
    return noContent;
  },
);

export const listGroupAliases = list(
  'group-alias/id',
  { summary: 'List the aliases of groups by id', params: {}, answer: LISTED, info: groupAliasInfo },
  async ({ page }, { tx }) => ({ keys: await tx.list({ prefix: GROUP_ALIASES, ...page }) }),
);
