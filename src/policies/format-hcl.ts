import { type Entry, type Layout, type Note, readLayout } from './layout.ts';

const STEP = '  ';

/** Lays out a text that has been parsed: one member in a line, `=` of neighbours beneath each other. */
export function formatHcl(text: string): string {
  const { entries, closing } = readLayout(text);
  const spaced = entries.map((entry, i) => (i === 0 ? entry : apart(entry)));
  const lines = [...entryLines(spaced, '', ''), ...noteLines(closing, '', entries.length > 0)];
  return `${lines.join('\n')}\n`;
}

/** With an empty line before it and its comments. */
function apart(entry: Entry): Entry {
  const [first, ...rest] = entry.before;
  return first === undefined ? { ...entry, blank: true } : { ...entry, before: [{ ...first, blank: true }, ...rest] };
}

/** @param comma what follows each entry: a comma in lists */
function entryLines(entries: readonly Entry[], indent: string, comma: string): string[] {
  const widths = headWidths(entries, indent);
  const lines: string[] = [];
  for (const [i, entry] of entries.entries()) {
    lines.push(...noteLines(entry.before, indent, lines.length > 0));
    if (entry.blank && lines.length > 0) lines.push('');
    const { head, after } = entry;
    const start = head === '' ? '' : `${entry.assigned ? `${head.padEnd(widths[i] ?? 0)} =` : head} `;
    const trailing = after.map(({ text }) => ` ${text}`).join('');
    lines.push(`${indent}${start}${valueText(entry.value, indent)}${comma}${trailing}`);
  }
  return lines;
}

function noteLines(notes: readonly Note[], indent: string, follows: boolean): string[] {
  return notes.flatMap(({ text, blank }, i) => (blank && (follows || i > 0) ? ['', indent + text] : [indent + text]));
}

function valueText(value: Entry['value'], indent: string): string {
  if (typeof value === 'string') return value;
  const [open, close] = value.list ? '[]' : '{}';
  const inner = indent + STEP;
  if (isShort(value)) {
    return value.list ? `[${value.entries.map((entry) => valueText(entry.value, indent)).join(', ')}]` : '{}';
  }
  const lines = entryLines(value.entries, inner, value.list ? ',' : '');
  return [open, ...lines, ...noteLines(value.closing, inner, lines.length > 0), indent + close].join('\n');
}

/** Whether a value stands in one line: lists that did, without comments or objects, and what is empty. */
function isShort(value: Layout | string): boolean {
  if (typeof value === 'string') return true;
  if (value.closing.length > 0) return false;
  if (value.entries.length === 0) return true;
  return (
    value.list &&
    !value.broken &&
    value.entries.every(({ before, after, value }) => before.length + after.length === 0 && isShort(value))
  );
}

/** How wide the heads of assignments are, in runs of neighbours that stand in one line each. */
function headWidths(entries: readonly Entry[], indent: string): readonly number[] {
  const widths: number[] = [];
  let run: number[] = [];
  for (const [i, entry] of entries.entries()) {
    const inLine = entry.assigned && !valueText(entry.value, indent).includes('\n');
    const apart = entry.blank || entry.before.length > 0;
    if (!inLine || apart) run = [];
    if (!inLine) continue;
    run.push(i);
    const width = Math.max(...run.map((j) => entries[j]?.head.length ?? 0));
    for (const j of run) widths[j] = width;
  }
  return widths;
}
