import { badRequest } from './errors.ts';
import type { Json } from './json/index.ts';
import type { Kind } from './kinds/index.ts';

/**
 * A parameter of the family for something that this server does not have: taken empty (null, "", false, {}, []), as
 * stock clients send it along; 400 with the reason otherwise, so that nobody believes it to be in force.
 */
export const notOffered = (reason: string): Kind<undefined> => ({
  schema: { description: `not offered: ${reason}` },
  required: false,
  parse(field, value) {
    if (value !== undefined && !isEmpty(value)) throw badRequest(`${field}: is not offered: ${reason}`);
    return undefined;
  },
});

const isEmpty = ({ kind, text }: Json): boolean =>
  kind === 'null' || ['""', 'false'].includes(text) || (kind !== 'string' && /^[{[]\s*[}\]]$/.test(text));
