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
  return family !== undefined && listOf(blocks)[family].check(address, family);
}

/** A list for each family: an IPv6 block holds no IPv4 address. */
type Lists = Readonly<Record<Family, BlockList>>;

/** Made once for blocks that are kept, as those of a token's record are: it costs far more than to look. */
const lists = new WeakMap<readonly string[], Lists>();

function listOf(blocks: readonly string[]): Lists {
  const known = lists.get(blocks);
  if (known !== undefined) return known;
  const made: Lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const block of blocks) {
    const [base = ''] = block.split('/');
    const family = familyOf(base);
    if (family !== undefined) made[family].addSubnet(base, bitsOf(block), family);
  }
  lists.set(blocks, made);
  return made;
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

type Family = 'ipv4' | 'ipv6';
const WIDTH: Readonly<Record<Family, number>> = { ipv4: 32, ipv6: 128 };

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}

/** An IPv4 address in its IPv6 form, as the runtime spells it. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

function canonicalBlock(field: string, block: string): string {
  const [given = '', bits, ...rest] = block.split('/');
  if (familyOf(given) === undefined || rest.length > 0) throw malformed(field);
  const { base, mapped } = canonicalAddress(given);
  if (bits === undefined) return base;
  const width = WIDTH[mapped || isIP(base) === 4 ? 'ipv4' : 'ipv6'];
  const size = /^(?:0|[1-9][0-9]{0,2})$/.test(bits) ? Number(bits) - (mapped ? WIDTH.ipv6 - width : 0) : -1;
  if (size < 0 || size > width) throw malformed(field);
  return `${base}/${size}`;
}

/** The one spelling of an address, and whether it is IPv4 in its IPv6 form, whichever way that was written. */
function canonicalAddress(address: string): { readonly base: string; readonly mapped: boolean } {
  if (isIP(address) === 4) return { base: address, mapped: false };
  const base = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(base) ?? [];
  if (high === undefined || low === undefined) return { base, mapped: false };
  const bits = [high, low].flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 0xff]);
  return { base: bits.join('.'), mapped: true };
}

const malformed = (field: string) =>
  badRequest(`${field}: each element must be an address or a block such as 10.0.0.0/8 or 2001:db8::/32`);
