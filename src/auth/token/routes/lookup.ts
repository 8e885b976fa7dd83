import { identityPoliciesOf } from '../../../core/principal.ts';
import type { Answer } from '../../../framework/answer.ts';
import { permissionDenied } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { read, type SystemContext, write } from '../../../sys/context.ts';
import { findToken } from '../../../tokens/find.ts';
import { describeToken } from '../describe.ts';
import { self } from './lookup-self.ts';

const token = describe(string(''), 'the token to look up; the calling one where none is named');

async function lookUp({ token }: { readonly token: string }, context: SystemContext): Promise<Answer> {
  if (token === '') return self({}, context);
  const found = await findToken(context.tx, context.revision, token);
  if (found === undefined) throw permissionDenied();
  const { tx, revision, now } = context;
  const identityPolicies = await identityPoliciesOf(tx, revision, found.record);
  return { data: describeToken(token, found.record, identityPolicies, now) };
}

export const lookup = [
  write('lookup', { summary: 'Look up a token', params: { token } }, lookUp),
  read('lookup', { summary: 'Look up the calling token', params: {} }, self),
];
