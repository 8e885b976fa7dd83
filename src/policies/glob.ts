/** Whether a text matches. */
export type Glob = (text: string) => boolean;

/** A listed value with `*` at its beginning, its end or both, as the family has it; undefined for one without, and for `*`. */
export function globOf(value: string): Glob | undefined {
  if (value.length < 2) return undefined;
  const [open, closed] = [value.startsWith('*'), value.endsWith('*')];
  const middle = value.slice(open ? 1 : 0, closed ? -1 : undefined);
  if (open && closed) return (text) => text.includes(middle);
  if (open) return (text) => text.endsWith(middle);
  return closed ? (text) => text.startsWith(middle) : undefined;
}
