import { badRequest } from '../../framework/errors.ts';
import { describe, string } from '../../framework/kinds/index.ts';
import type { SystemContext } from '../../sys/context.ts';
import { type Found, findByAccessor } from '../../tokens/find.ts';

export const ACCESSOR = describe(string(''), 'the accessor of the token');

/** A token that is alive, by its accessor. 400 where there is none, with one text for all reasons. */
export async function byAccessor({ tx, revision }: SystemContext, accessor: string): Promise<Found> {
  const found = await findByAccessor(tx, revision, givenAccessor(accessor));
  if (found === undefined) throw badRequest('accessor: is not valid');
  return found;
}

export function givenAccessor(accessor: string): string {
  if (accessor === '') throw badRequest('accessor: is required: give the accessor of a token');
  return accessor;
}
