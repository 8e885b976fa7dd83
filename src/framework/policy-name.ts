import { badRequest, ServiceError } from './errors.ts';

/** Characters of a policy's name. */
export const MAX_POLICY_NAME_LENGTH = 256;

/** Permits everything; it has no text and is stored nowhere. */
export const ROOT_POLICY = 'root';

/** The policy of wrapping tokens: the server alone gives it. */
export const WRAPPING_POLICY = 'response-wrapping';

const ALLOWED: ReadonlySet<string> = new Set('abcdefghijklmnopqrstuvwxyz0123456789-_.,:@=+~');

/**
 * The one form of a policy's name: trimmed, in lower case (R1; known-attacks A3, B1). 400 unless it is 1–256 letters
 * and digits of ASCII and `- _ . , : @ = + ~` without `..` (A4). The comma is one of them because `"a,b"` is one name
 * where a token is created (4-open-points, Tokens). Checked before folding, so that no other letter folds into ASCII.
 */
export function policyName(raw: string): string {
  if (raw.length > 2 * MAX_POLICY_NAME_LENGTH) throw tooLong();
  const name = raw.trim();
  if (name === '') throw badRequest('policy name: must not be empty');
  if (name.length > MAX_POLICY_NAME_LENGTH) throw tooLong();
  let folded = '';
  for (const character of name) {
    const lower = character >= 'A' && character <= 'Z' ? character.toLowerCase() : character;
    if (!ALLOWED.has(lower)) {
      throw badRequest('policy name: may hold letters and digits of ASCII and - _ . , : @ = + ~ only');
    }
    folded += lower;
  }
  if (folded === '.' || folded.includes('..')) throw badRequest('policy name: must not be . and must not hold ..');
  return folded;
}

/** The same of a text that may be no name at all. */
export const foldPolicyName = (text: string): string => text.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Whether a policy can be called so at all. */
export function isPolicyName(raw: string): boolean {
  try {
    policyName(raw);
    return true;
  } catch (refusal) {
    if (refusal instanceof ServiceError) return false;
    throw refusal;
  }
}

const tooLong = () => badRequest(`policy name: must not be longer than ${MAX_POLICY_NAME_LENGTH} characters`);
