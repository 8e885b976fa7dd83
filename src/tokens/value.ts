import { crc32 } from 'node:zlib';

/**
 * Token values: `s.`, 24 random bytes in base64url, and the CRC-32 of those characters, 4 bytes in base64url. One fixed
 * pattern for secret scanners, and what is mistyped is refused without a look into the store (4-open-points, Tokens).
 */
const RANDOM_BYTES = 24;
const RANDOM_END = 2 + (RANDOM_BYTES * 4) / 3;
const LENGTH = RANDOM_END + 6;

/** Characters of a token value that a privileged caller chose. */
export const MAX_CHOSEN_LENGTH = 256;

/** A new service token out of random bytes. */
export function makeTokenValue(random: (bytes: number) => Buffer): string {
  const text = random(RANDOM_BYTES).toString('base64url');
  return `s.${text}${checksum(text)}`;
}

/**
 * Whether a value can be a token of this server at all. One that holds a dot must be of the pattern; one without may
 * have been chosen by a privileged caller. A checksum is no secret: the store tells the rest.
 */
export function isPlausible(value: string): boolean {
  if (!value.includes('.')) return value.length <= MAX_CHOSEN_LENGTH;
  if (value.length !== LENGTH || !value.startsWith('s.')) return false;
  return checksum(value.slice(2, RANDOM_END)) === value.slice(RANDOM_END);
}

function checksum(text: string): string {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64url');
}
