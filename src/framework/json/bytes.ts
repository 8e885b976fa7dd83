/** The classes of bytes that JSON is made of (RFC 8259); `undefined` is the end of the text and in none of them. */

export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

export const isHexDigit = (byte: number | undefined): boolean =>
  byte !== undefined && (isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66));

/** The first byte at or after `start` that is no blank, or the end of the text. */
export function skipBlank(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isBlank(bytes[at])) at += 1;
  return at;
}
