/**
 * Paths of endpoints in the notation of the documents: `keys/:name/rotate`, `hmac/:name(/:algorithm)`. A parameter is
 * one segment; one that is called `path` takes any number of them, none included (`data/` has the path "").
 */

/** The names of the parameters in a path, read from the literal. */
export type PathNames<P extends string> = P extends `${infer Head}/${infer Tail}`
  ? NameOf<Head> | PathNames<Tail>
  : NameOf<P>;

type NameOf<S extends string> = S extends `${string}:${infer Name}` ? WithoutParens<Name> : never;
type WithoutParens<S extends string> = S extends `${infer Head}${'(' | ')'}${string}` ? WithoutParens<Head> : S;

/** One step of a path: a literal, a parameter of one segment, or the parameter `path` of any number. */
export type Step =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'segment'; readonly name: string }
  | { readonly kind: 'path'; readonly name: string };

/** All forms that a path in the documents' notation has: one with and one without each optional part. */
export function forms(path: string): readonly (readonly Step[])[] {
  const open = path.lastIndexOf('(');
  if (open === -1) return [steps(path)];
  const close = path.indexOf(')', open);
  if (close === -1) throw new Error(`a parenthesis is not closed in the path ${path}`);
  const rest = path.slice(close + 1);
  return [...forms(path.slice(0, open) + rest), ...forms(path.slice(0, open) + path.slice(open + 1, close) + rest)];
}

function steps(path: string): readonly Step[] {
  if (path === '') return [];
  return path.split('/').map((text): Step => {
    if (!text.startsWith(':')) return { kind: 'literal', text };
    const name = text.slice(1);
    return { kind: name === 'path' ? 'path' : 'segment', name };
  });
}
