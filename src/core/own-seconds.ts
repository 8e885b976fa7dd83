import { badRequest } from '../framework/errors.ts';
import { duration, type Kind } from '../framework/kinds/index.ts';

/** Whole seconds, 0 where the server's own limit is to hold; undefined where nothing was given. */
export const ownSeconds = (summary: string): Kind<number | undefined> => ({
  schema: { type: 'string', format: 'duration', description: `${summary}; 0 or "system" for the server's own` },
  required: false,
  parse(field, value) {
    const text = value?.kind === 'string' ? value.text : undefined;
    if (value === undefined || value.kind === 'null' || text === '""') return undefined;
    if (text === '"system"') return 0;
    const milliseconds = duration().parse(field, value);
    if (milliseconds < 0) throw badRequest(`${field}: must not be negative`);
    if (milliseconds % 1_000 !== 0) throw badRequest(`${field}: must be whole seconds`);
    return milliseconds / 1_000;
  },
});
