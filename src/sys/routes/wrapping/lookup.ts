import { describeWrapping, findWrapping } from '../../../core/wrapping.ts';
import type { Answer } from '../../../framework/answer.ts';
import { badRequest, permissionDenied } from '../../../framework/errors.ts';
import { describe, type Schema, string } from '../../../framework/kinds/index.ts';
import { read, type SystemContext, write } from '../../context.ts';

const answer: Readonly<Record<string, Schema>> = {
  creation_path: { type: 'string', description: 'path of the request whose answer is wrapped' },
  creation_time: { type: 'string', format: 'date-time' },
  creation_ttl: { type: 'integer', description: 'seconds' },
};

const lookUp = async ({ tx }: Pick<SystemContext, 'tx'>, token: string): Promise<Answer> => ({
  data: describeWrapping(await findWrapping(tx, token)),
});

export const lookupWrapping = write(
  'wrapping/lookup',
  {
    summary: 'Tell where a wrapping token comes from, without using it',
    params: { token: describe(string(''), 'the wrapping token; without it that of the request') },
    answer,
    access: 'none',
  },
  ({ token }, context) => {
    const wrapping = token === '' ? context.token : token;
    if (wrapping === undefined) throw badRequest('token: is required: give the wrapping token');
    return lookUp(context, wrapping);
  },
);

export const lookupOwnWrapping = read(
  'wrapping/lookup',
  { summary: 'Tell where the wrapping token of the request comes from', params: {}, answer, access: 'none' },
  (_, context) => {
    if (context.token === undefined) throw permissionDenied();
    return lookUp(context, context.token);
  },
);
