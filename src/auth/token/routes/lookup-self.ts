import { permissionDenied } from '../../../framework/errors.ts';
import { read } from '../../../sys/context.ts';
import { describeToken } from '../describe.ts';

export const lookupSelf = [
  read('lookup-self', { summary: 'Look up the calling token', params: {} }, (_, { bearer, now }) => {
    if (bearer === undefined) throw permissionDenied();
    return { data: describeToken(bearer.value, bearer.record, now) };
  }),
];
