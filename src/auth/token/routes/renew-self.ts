import { permissionDenied } from '../../../framework/errors.ts';
import { write } from '../../../sys/context.ts';
import { renewToken } from '../renew.ts';
import { INCREMENT } from './renew.ts';

export const renewSelf = [
  write(
    'renew-self',
    { summary: 'Renew the calling token', params: { increment: INCREMENT } },
    ({ increment }, context) => {
      const { bearer } = context;
      if (bearer === undefined) throw permissionDenied();
      return renewToken(context, bearer, bearer.value, increment);
    },
  ),
];
