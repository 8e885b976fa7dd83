import { BlockList, isIP } from 'node:net';
import { badRequest } from './errors.ts';
import { type Kind, stringList } from './kinds/index.ts';

/** Blocks in one list. */
const MAX_BLOCKS = 256;

/**
 * Blocks of addresses out of a list or a comma-separated text, each an address or `address/bits`. An IPv4 address in its
 * IPv6 form is the IPv4 address (known-attacks G6). 400 for what is neither. Empty where nothing was given.
 */
export function cidrList(): Kind<readonly string[]> {
  const kind = stringList([]);
  return {
    ...kind,
    parse(field, value) {
      const blocks = kind.parse(field, value);
      if (blocks.length > MAX_BLOCKS) throw badRequest(`${field}: must have at most ${MAX_BLOCKS} elements`);
      return [...new Set(blocks.map((block) => canonicalBlock(field, block)))];
    },
  };
}

/** Whether a canonical address lies in one of the blocks, which are as `cidrList` gives them. */
export function contains(blocks: readonly string[], address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && blocks.some((block) => holds(block, address, family));
}

/** Whether every one of the blocks lies wholly in one of the others; both are as `cidrList` gives them. */
export const within = (blocks: readonly string[], others: readonly string[]): boolean =>
  blocks.every((block) => others.some((other) => covers(other, block)));

function covers(other: string, block: string): boolean {
  const [base = ''] = block.split('/');
  return bitsOf(other) <= bitsOf(block) && contains([other], base);
}

function bitsOf(block: string): number {
  const [base = '', bits] = block.split('/');
  return bits === undefined ? WIDTH[familyOf(base) ?? 'ipv6'] : Number(bits);
}

function holds(block: string, address: string, family: Family): boolean {
  const [base = '', bits] = block.split('/');
  if (familyOf(base) !== family) return false;
  const list = new BlockList();
  list.addSubnet(base, bits === undefined ? WIDTH[family] : Number(bits), family);
  return list.check(address, family);
}

type Family = 'ipv4' | 'ipv6';
const WIDTH: Readonly<Record<Family, number>> = { ipv4: 32, ipv6: 128 };

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}

const MAPPED = '::ffff:';

function canonicalBlock(field: string, block: string): string {
  const [given = '', bits, ...rest] = block.toLowerCase().split('/');
  const mapped = given.startsWith(MAPPED) && given.includes('.');
  const base = mapped ? given.slice(MAPPED.length) : given;
  const family = familyOf(base);
  if (family === undefined || rest.length > 0) throw malformed(field);
  if (bits === undefined) return base;
  const width = WIDTH[family];
  const size = /^(?:0|[1-9][0-9]{0,2})$/.test(bits) ? Number(bits) - (mapped ? WIDTH.ipv6 - width : 0) : -1;
  if (size < 0 || size > width) throw malformed(field);
  return `${base}/${size}`;
}

const malformed = (field: string) =>
  badRequest(`${field}: each element must be an address or a block such as 10.0.0.0/8 or 2001:db8::/32`);
