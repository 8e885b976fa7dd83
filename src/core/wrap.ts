import { badRequest } from '../framework/errors.ts';
import { parseDuration } from '../framework/kinds/index.ts';
import { type Call, readHeader, WRAP_TTL } from './call.ts';

/**
 * The header that asks for a wrapped answer. `0` and empty ask for none; a bad or negative value is 400 before any
 * effect. Wrapping itself is not offered by this version, and an answer that should have been wrapped must not go out
 * in clear, so such a request is refused.
 */
export function refuseWrapping(call: Call): void {
  const ttl = readHeader(call.request.headers, WRAP_TTL);
  if (ttl === undefined || ttl === '') return;
  const millis = parseDuration('X-Service-Wrap-TTL', ttl);
  if (millis < 0) throw badRequest('X-Service-Wrap-TTL: must not be negative');
  if (millis > 0) throw badRequest('X-Service-Wrap-TTL: this version does not wrap answers: leave the header out');
}
