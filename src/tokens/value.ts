import { crc32 } from 'node:zlib';

/**
 * Token values: `s.`, 24 random bytes in base64url, and the CRC-32 of those characters, 4 bytes in base64url; of a batch
 * token `b.`, the token itself, sealed, in base64url, and the same checksum. One fixed pattern for secret scanners, and what
 * is mistyped is refused without a look into the store (4-open-points, Tokens).
 */
const RANDOM_BYTES = 24;
const RANDOM_END = 2 + (RANDOM_BYTES * 4) / 3;
const CHECKSUM_LENGTH = 6;
const LENGTH = RANDOM_END + CHECKSUM_LENGTH;
const BATCH = 'b.';

/** Characters of a token value that a privileged caller chose. */
export const MAX_CHOSEN_LENGTH = 256;

/** Characters of a batch token: it travels in a header line of at most 8 KiB. */
export const MAX_BATCH_LENGTH = 7 * 1024;

/** A new service token out of random bytes. */
export function makeTokenValue(random: (bytes: number) => Buffer): string {
  const text = random(RANDOM_BYTES).toString('base64url');
  return `s.${text}${checksum(text)}`;
}

/** The value of a batch token. */
export function batchValue(sealed: Buffer): string {
  const text = sealed.toString('base64url');
  return `${BATCH}${text}${checksum(text)}`;
}

/** What a batch token holds, sealed; undefined where the value is none, or another spelling of one. */
export function sealedBatch(value: string): Buffer | undefined {
  if (!isBatch(value) || value.length > MAX_BATCH_LENGTH || !hasChecksum(value)) return undefined;
  const text = value.slice(BATCH.length, -CHECKSUM_LENGTH);
  const sealed = Buffer.from(text, 'base64url');
  // The decoder passes over what is no base64url, and over bits at the end that mean nothing.
  return sealed.toString('base64url') === text ? sealed : undefined;
}

/** Whether a value says of itself that it is a batch token. */
export const isBatch = (value: string): boolean => value.startsWith(BATCH);

/**
 * Whether a value can be a service token of this server at all. One that holds a dot must be of the pattern; one without may
 * have been chosen by a privileged caller. A checksum is no secret: the store tells the rest.
 */
export function isPlausible(value: string): boolean {
  if (!value.includes('.')) return value.length <= MAX_CHOSEN_LENGTH;
  return value.length === LENGTH && value.startsWith('s.') && hasChecksum(value);
}

const hasChecksum = (value: string): boolean =>
  checksum(value.slice(BATCH.length, -CHECKSUM_LENGTH)) === value.slice(-CHECKSUM_LENGTH);

function checksum(text: string): string {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64url');
}
