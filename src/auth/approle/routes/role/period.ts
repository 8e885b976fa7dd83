import type { Values } from '../../../../framework/endpoint.ts';
import { read, remove, write } from '../../../../framework/endpoint.ts';
import { badRequest } from '../../../../framework/errors.ts';
import { olderParams } from '../../../../framework/older-terms.ts';
import { tokenParams } from '../../../../framework/token-terms.ts';
import { roleName } from '../../params.ts';
import { changes, olderNamed, resets, shows, withTerms } from '../../setting.ts';

const path = 'role/:role_name/period';

const given = { token_period: tokenParams.token_period, period: olderParams.period };

export const readPeriod = read(
  path,
  {
    summary: 'Read the period of the tokens',
    params: { role_name: roleName },
    answer: { token_period: { type: 'integer' } },
  },
  shows(({ terms, older }) => ({
    token_period: terms.period,
    period: older.includes('period') ? terms.period : undefined,
  })),
);

export const writePeriod = write(
  path,
  { summary: 'Change the period of the tokens', params: { role_name: roleName, ...given } },
  changes(({ token_period, period }: { readonly role_name: string } & Values<typeof given>, role) => {
    const chosen = token_period ?? period;
    if (chosen === undefined) throw badRequest('token_period: is required');
    return { ...withTerms(role, { token_period: chosen }), ...olderNamed(role, 'period', period !== undefined) };
  }),
);

export const resetPeriod = remove(
  path,
  { summary: 'Take the period from the tokens', params: { role_name: roleName } },
  resets((role) => ({ ...withTerms(role, { token_period: 0 }), ...olderNamed(role, 'period', false) })),
);
