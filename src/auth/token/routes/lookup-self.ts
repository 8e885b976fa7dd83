import type { Answer } from '../../../framework/answer.ts';
import { permissionDenied } from '../../../framework/errors.ts';
import { read, type SystemContext, write } from '../../../sys/context.ts';
import { describeToken } from '../describe.ts';

const SPEC = { summary: 'Look up the calling token', params: {} };

export const self = async (_: unknown, context: SystemContext): Promise<Answer> => {
  const { bearer } = context;
  if (bearer === undefined) throw permissionDenied();
  return { data: await describeToken(bearer.value, bearer.record, context) };
};

export const lookupSelf = [read('lookup-self', SPEC, self), write('lookup-self', SPEC, self)];
