/** Classes of octets, one bit each, for a table look-up per byte. */
export const TOKEN = 1;
export const TARGET = 2;
export const VALUE = 4;
export const HOST = 8;

export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const SLASH = 0x2f;
export const COLON = 0x3a;

const ALPHANUMERIC = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

const classes = new Uint8Array(256);
const mark = (characters: string, bit: number): void => {
  for (const byte of Buffer.from(characters, 'latin1')) classes[byte] = (classes[byte] ?? 0) | bit;
};

mark(`${ALPHANUMERIC}!#$%&'*+-.^_\`|~`, TOKEN); // RFC 9110 §5.6.2
mark(`${ALPHANUMERIC}-._~!$&'()*+,;=:@/?%[]`, TARGET); // RFC 3986 §2, gen-delims without "#"
mark(`${ALPHANUMERIC}-._~!$&'()*+;=%:[]`, HOST); // RFC 9110 §7.2; "," left out: it would be two hosts
for (let byte = SPACE; byte < 256; byte++) if (byte !== 0x7f) mark(String.fromCharCode(byte), VALUE); // RFC 9110 §5.5
mark('\t', VALUE);

/** The classes of each octet, by its value. */
export const OCTETS: Readonly<Uint8Array> = classes;
