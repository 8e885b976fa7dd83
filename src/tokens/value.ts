import { hash } from 'node:crypto';

/**
 * Token values: `s.` and 28 bytes in base64url, 24 random ones and a checksum of 4. One fixed pattern for secret
 * scanners, and what is mistyped is refused without a look into the store (4-open-points, Tokens).
 */
const RANDOM_BYTES = 24;
const CHECKSUM_BYTES = 4;
const PATTERN_LENGTH = 2 + Math.ceil(((RANDOM_BYTES + CHECKSUM_BYTES) * 4) / 3);

/** A new service token out of random bytes. */
export function makeTokenValue(random: (bytes: number) => Buffer): string {
  const bytes = random(RANDOM_BYTES);
  return `s.${Buffer.concat([bytes, checksum(bytes)]).toString('base64url')}`;
}

/**
 * Whether a value can be a token of this server at all. One that holds a dot must be of the pattern; one without may
 * have been chosen by a privileged caller.
 */
export function isPlausible(value: string): boolean {
  if (!value.includes('.')) return value.length <= MAX_CHOSEN_LENGTH;
  if (!value.startsWith('s.') || value.length !== PATTERN_LENGTH) return false;
  const bytes = Buffer.from(value.slice(2), 'base64url');
  if (bytes.length !== RANDOM_BYTES + CHECKSUM_BYTES) return false;
  // A checksum is no secret: it tells a typing mistake, and the store tells the rest.
  return checksum(bytes.subarray(0, RANDOM_BYTES)).equals(bytes.subarray(RANDOM_BYTES));
}

/** Characters of a token value that a privileged caller chose. */
export const MAX_CHOSEN_LENGTH = 256;

const checksum = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES);
