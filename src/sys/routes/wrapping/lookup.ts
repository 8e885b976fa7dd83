import { describeWrapping, findWrapping } from '../../../core/wrapping.ts';
import type { Answer } from '../../../framework/answer.ts';
import { permissionDenied } from '../../../framework/errors.ts';
import { describe, type Schema, string } from '../../../framework/kinds/index.ts';
import { read, type SystemContext, write } from '../../context.ts';

const answer: Readonly<Record<string, Schema>> = {
  creation_path: { type: 'string', description: 'path of the request whose answer is wrapped' },
  creation_time: { type: 'string', format: 'date-time' },
  creation_ttl: { type: 'integer', description: 'seconds' },
};

/** 403 where the request brings no token at all, as for every other (known-attacks I1). */
async function lookUp({ tx }: Pick<SystemContext, 'tx'>, token: string | undefined): Promise<Answer> {
  if (token === undefined) throw permissionDenied();
  return { data: describeWrapping(await findWrapping(tx, token)) };
}

export const lookupWrapping = write(
  'wrapping/lookup',
  {
    summary: 'Tell where a wrapping token comes from, without using it',
    params: { token: describe(string(''), 'the wrapping token; without it that of the request') },
    answer,
    access: 'none',
  },
  ({ token }, context) => lookUp(context, token === '' ? context.token : token),
);

export const lookupOwnWrapping = read(
  'wrapping/lookup',
  { summary: 'Tell where the wrapping token of the request comes from', params: {}, answer, access: 'none' },
  (_, context) => lookUp(context, context.token),
);
