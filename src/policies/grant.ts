import { type Capability, mergeCapabilities } from './capability.ts';
import { Constraints, type RuleConstraints } from './constraints.ts';
import type { PathPattern } from './rule-path.ts';

/** What a rule says of its path. */
export interface Terms {
  readonly capabilities: ReadonlySet<Capability>;
  readonly constraints?: RuleConstraints | undefined;
}

/** All that any policy says of one rule path. */
export class Grant {
  readonly pattern: PathPattern;
  #capabilities: ReadonlySet<Capability>;
  #narrowing: RuleConstraints[] | undefined;
  #constraints: Constraints | undefined;

  constructor(pattern: PathPattern, { capabilities, constraints }: Terms) {
    this.pattern = pattern;
    this.#capabilities = capabilities;
    if (constraints !== undefined) this.#narrowing = [constraints];
  }

  get capabilities(): ReadonlySet<Capability> {
    return this.#capabilities;
  }

  /** What narrows the capabilities; undefined where nothing does. Worked out when it is first asked for. */
  get constraints(): Constraints | undefined {
    if (this.#narrowing === undefined) return undefined;
    this.#constraints ??= new Constraints(this.#narrowing);
    return this.#constraints;
  }

  has(capability: Capability): boolean {
    return this.#capabilities.has(capability);
  }

  /** Joins another rule of the path: capabilities add up, and deny wins. Only while a list is being compiled. */
  add({ capabilities, constraints }: Terms): void {
    this.#capabilities = mergeCapabilities(this.#capabilities, capabilities);
    if (constraints === undefined) return;
    this.#narrowing ??= [];
    this.#narrowing.push(constraints);
  }

  /** Joins all that another list says of the path. */
  join(other: Grant): void {
    this.#capabilities = mergeCapabilities(this.#capabilities, other.#capabilities);
    if (other.#narrowing !== undefined) this.#narrowing = [...(this.#narrowing ?? []), ...other.#narrowing];
  }
}
