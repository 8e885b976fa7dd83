import { noContent } from '../../../framework/answer.ts';
import { notFound } from '../../../framework/errors.ts';
import { list, read, remove, write } from '../../../sys/context.ts';
import { aliasById } from '../../alias.ts';
import { removeAlias } from '../../alias-changes.ts';
import { ALIASES } from '../../keys.ts';
import { aliasInfo, LISTED } from '../../listed.ts';
import { id } from '../../params.ts';
import { ALIAS_SCHEMA, aliasView, Mounts } from '../../views.ts';
import { ALIAS_PARAMS, answerAlias, POINTED } from '../entity-alias.ts';

const ofAlias = { id: id('alias') };

export const readAlias = read(
  'entity-alias/id/:id',
  { summary: 'Read an alias', params: ofAlias, answer: ALIAS_SCHEMA },
  async ({ id }, { tx, revision }) => {
    const owned = await aliasById(tx, id);
    if (owned === undefined) throw notFound();
    return { data: aliasView(new Mounts(revision), owned.entity.id, owned.alias) };
  },
);

export const writeAliasById = write(
  'entity-alias/id/:id',
  {
    summary: 'Change an alias, or give it to another entity',
    description: 'What is not given stays as it is. Answers 204 where nothing changes.',
    params: { ...ofAlias, ...ALIAS_PARAMS },
    answer: POINTED,
  },
  ({ id, ...values }, context) => answerAlias(id, values, context),
);

export const deleteAlias = remove(
  'entity-alias/id/:id',
  { summary: 'Delete an alias; its entity stays', params: ofAlias },
  async ({ id }, { tx }) => {
    const owned = await aliasById(tx, id);
    if (owned !== undefined) await removeAlias(tx, owned);
    return noContent;
  },
);

export const listAliases = list(
  'entity-alias/id',
  { summary: 'List the aliases of entities by id', params: {}, answer: LISTED, info: aliasInfo },
  async ({ page }, { tx }) => ({ keys: await tx.list({ prefix: ALIASES, ...page }) }),
);
