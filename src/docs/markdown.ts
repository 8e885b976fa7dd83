/** A text as it may stand in a cell of a table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A table with its line end, its columns as wide as their widest cell. Cells are markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, i) => Math.max(3, name.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |\n`;
  return line(head) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('');
}

/**
 * A page with another text between the comments `<!-- NAME -->` and `<!-- /NAME -->`. Throws where the page has not
 * exactly one such pair.
 */
export function fill(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->\n`];
  const [before, rest, ...more] = page.split(begin);
  const [, behind, ...evenMore] = rest?.split(end) ?? [];
  if (before === undefined || behind === undefined || more.length + evenMore.length > 0) {
    throw new Error(`the page has not exactly one place for ${name}`);
  }
  return `${before}${begin}\n${text}\n${end}${behind}`;
}
