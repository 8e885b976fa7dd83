import { ServiceError } from '../../../framework/errors.ts';
import { type Json, members } from '../../../framework/json/index.ts';
import { duration } from '../../../framework/kinds/index.ts';

const lifetime = duration();

/**
 * After how many seconds a secret should be read again, as its own member `ttl`, or else `lease`, says. A value that is no
 * duration, or negative, says nothing, as in the family: it is data like any other.
 */
export function leaseOf(data: Json): { readonly ttl?: number } {
  const found = members(data);
  const given = found.get('ttl') ?? found.get('lease');
  if (given === undefined) return {};
  try {
    const milliseconds = lifetime.parse('ttl', given);
    return milliseconds < 0 ? {} : { ttl: Math.floor(milliseconds / 1_000) };
  } catch (error) {
    if (error instanceof ServiceError) return {};
    throw error;
  }
}
