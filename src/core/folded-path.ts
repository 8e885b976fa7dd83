import type { Match } from '../framework/router.ts';

/**
 * The path of a call with its names in the one form that they are looked up in (known-attacks R1, A3); undefined where it
 * stands so already.
 * @param path canonical
 */
export function foldedPath<C>({ endpoint, captured }: Match<C>, path: string): string | undefined {
  const folded = new Map<string, string>();
  for (const [name, text] of captured) {
    const form = endpoint.params[name]?.fold?.(text);
    if (form !== undefined && form !== text) folded.set(name, form);
  }
  if (folded.size === 0) return undefined;
  const filled = (values: ReadonlyMap<string, string>): string =>
    endpoint.path.replace(/:(\w+)/g, (_, name: string) => values.get(name) ?? '');
  const before = filled(captured);
  // Behind it a list may have a slash.
  const at = path.lastIndexOf(before);
  if (at === -1) throw new Error('names of more than one form stand in paths without optional parts');
  return path.slice(0, at) + filled(new Map([...captured, ...folded])) + path.slice(at + before.length);
}
