import type { Answer } from '../../../framework/answer.ts';
import { permissionDenied } from '../../../framework/errors.ts';
import { read, type SystemContext, write } from '../../../sys/context.ts';
import { describeToken } from '../describe.ts';

const SPEC = { summary: 'Look up the calling token', params: {} };

export const self = (_: unknown, { bearer, identityPolicies, now }: SystemContext): Answer => {
  if (bearer === undefined) throw permissionDenied();
  return { data: describeToken(bearer.value, bearer.record, identityPolicies, now) };
};

export const lookupSelf = [read('lookup-self', SPEC, self), write('lookup-self', SPEC, self)];
