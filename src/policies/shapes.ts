import type { PathPattern } from './rule-path.ts';

/** A beginning of shapes: the ways on by a literal segment and by `+`, and the lengths of what stands before a `*`. */
interface Shape {
  literal: Shape | undefined;
  any: Shape | undefined;
  lengths: Set<number> | undefined;
}

const shape = (): Shape => ({ literal: undefined, any: undefined, lengths: undefined });

/**
 * Counts what a look-up can meet at most. Of the rules whose segments are `+` at the same places a path meets one at each
 * depth; so the different places of `+`, as beginnings, bound the search whatever the path, and whatever the number of
 * rules. Rules without `+` cost no more than the path is long, and count for nothing.
 */
export class Shapes {
  readonly #root = shape();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add({ segments, prefix, wildcards }: PathPattern): void {
    if (wildcards === 0) return;
    let node = this.#root;
    let counting = false;
    for (const segment of prefix ? segments.slice(0, -1) : segments) {
      counting ||= segment === null;
      node = this.#descend(node, segment === null ? 'any' : 'literal', counting);
    }
    if (!prefix || !counting) return;
    node.lengths ??= new Set();
    const { size } = node.lengths;
    node.lengths.add(segments.at(-1)?.length ?? 0);
    this.#count += node.lengths.size - size;
  }

  #descend(node: Shape, way: 'any' | 'literal', counting: boolean): Shape {
    const known = node[way];
    if (known !== undefined) return known;
    const made = shape();
    node[way] = made;
    if (counting) this.#count += 1;
    return made;
  }
}
