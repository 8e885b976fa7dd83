import { badRequest, type ServiceError } from '../framework/errors.ts';

/** What the HCL and the JSON reader both make of a text: one small tree, with line numbers (from 1) for messages. */
export type Value =
  | { readonly kind: 'string'; readonly text: string; readonly line: number }
  /** A number, `true`, `false` or `null`, as it was spelled. */
  | { readonly kind: 'literal'; readonly text: string; readonly line: number }
  | { readonly kind: 'list'; readonly items: readonly Value[]; readonly line: number }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly line: number };

/** `name = value`, or a block `name "label" { … }`. Members of one name are all kept, in order. */
export interface Member {
  readonly name: string;
  readonly label: string | undefined;
  readonly value: Value;
  readonly line: number;
}

/** 400 for a text that is no policy. The sentence says where and what would be right; it never repeats the text. */
export const refused = (line: number, sentence: string): ServiceError =>
  badRequest(`policy: line ${line}: ${sentence}`);
