import { noWrappingToken, takeAnswer } from '../../../core/wrapping.ts';
import { permissionDenied } from '../../../framework/errors.ts';
import { members, scanBody } from '../../../framework/json/index.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { write } from '../../context.ts';

/** Bytes of a body that is read for a caller whose token is not alive: `{"token": "…"}` has fewer. */
const MAX_STRANGE_BYTES = 1_024;

/**
 * A used wrapping token that comes by itself is told so. One that names another is a caller without a valid token: it
 * must not believe that the other has been used.
 */
function refuseDead(body: Buffer): ReturnType<typeof noWrappingToken> {
  if (body.length > MAX_STRANGE_BYTES) return permissionDenied();
  const named = members(scanBody(body)).get('token');
  return named === undefined || named.text === '""' || named.kind === 'null' ? noWrappingToken() : permissionDenied();
}

export const unwrap = write(
  'wrapping/unwrap',
  {
    summary: 'Give a wrapped answer as it stood, once',
    description: 'A wrapping token may call this by itself; a refused call spends it.',
    params: { token: describe(string(''), 'the wrapping token; without it the calling token is one') },
    shape: 'verbatim',
    deadToken: refuseDead,
  },
  async ({ token }, { tx, bearer }) => {
    // The calling token has been used already.
    if (bearer?.answer !== undefined && (token === '' || token === bearer.value)) return { verbatim: bearer.answer };
    if (token === '') throw noWrappingToken();
    const { answer } = await takeAnswer(tx, token);
    return { verbatim: answer };
  },
);
