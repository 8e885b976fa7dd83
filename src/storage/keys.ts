/** Facts about the order of storage keys: by their UTF-8 bytes. */

/** The least key behind all that start with `prefix`, which ends in an ASCII character. */
export function behind(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return prefix.slice(0, -1) + String.fromCharCode(last + 1);
}

/** Compares as the UTF-8 bytes of the two do: by code points, where JavaScript compares UTF-16 units. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all single units, so they rank last. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/** The least key that is greater than `key`. */
export const after = (key: string): string => `${key}\0`;
