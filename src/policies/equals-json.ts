import { items, type Json, members } from '../framework/json/index.ts';
import { textOf } from './sent-value.ts';
import type { Value } from './syntax.ts';

/** Whether a value of a policy is the same as JSON that was sent: lists in their order, objects in any; no globs. */
export function equalsJson(listed: Value, sent: Json): boolean {
  switch (listed.kind) {
    case 'string':
    case 'literal':
      return sent.kind === 'null' ? listed.kind === 'literal' && listed.text === 'null' : textOf(sent) === listed.text;
    case 'list': {
      const elements = sent.kind === 'array' ? items(sent) : undefined;
      return (
        elements?.length === listed.items.length &&
        listed.items.every((item, i) => {
          const element = elements[i];
          return element !== undefined && equalsJson(item, element);
        })
      );
    }
    case 'object': {
      const given = sent.kind === 'object' ? members(sent) : undefined;
      return (
        given?.size === listed.members.length &&
        listed.members.every(({ name, value }) => {
          const member = given.get(name);
          return member !== undefined && equalsJson(value, member);
        })
      );
    }
  }
}
