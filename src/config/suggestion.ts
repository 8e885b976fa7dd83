/** A name somebody typed, cut and cleaned for a sentence. */
export const shown = (name: string): string => JSON.stringify(name.slice(0, 64)).slice(1, -1);

/** "; did you mean …?" where a known name differs by little. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = known.find((candidate) => name.length < 64 && distance(name, candidate) <= 2);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
