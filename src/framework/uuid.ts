/** A random UUID of version 4 out of 16 random bytes, as a transaction gives them (RFC 9562, section 5.4). */
export function uuidOf(random: Buffer): string {
  const bytes = Buffer.from(random);
  bytes[6] = (random.readUInt8(6) & 0x0f) | 0x40;
  bytes[8] = (random.readUInt8(8) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
