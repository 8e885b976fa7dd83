import type { Alias, Identity, Named } from './identity.ts';

/** A reference taken apart: `identity.entity.aliases.acc.metadata.team` is of the alias `acc`, the value `metadata.team`. */
interface Reference {
  readonly of: 'entity' | 'alias' | 'group id' | 'group name';
  /** The accessor, the group's id or its name; empty for the entity. */
  readonly which: string;
  readonly value: string;
}

const OWNERS: readonly (readonly [prefix: string, of: Exclude<Reference['of'], 'entity'>])[] = [
  ['identity.entity.aliases.', 'alias'],
  ['identity.groups.ids.', 'group id'],
  ['identity.groups.names.', 'group name'],
];
const ENTITY = 'identity.entity.';

function parse(text: string): Reference | undefined {
  for (const [prefix, of] of OWNERS) {
    if (!text.startsWith(prefix)) continue;
    const [which = '', ...rest] = text.slice(prefix.length).split('.');
    return which === '' ? undefined : { of, which, value: rest.join('.') };
  }
  return text.startsWith(ENTITY) ? { of: 'entity', which: '', value: text.slice(ENTITY.length) } : undefined;
}

/** Whether a text names a value that an identity may have. */
export function isReference(text: string): boolean {
  const found = parse(text);
  if (found === undefined) return false;
  const { of, value } = found;
  if (value === 'id' || value === 'name') return true;
  return (
    keyAfter('metadata.', value) !== undefined || (of === 'alias' && keyAfter('custom_metadata.', value) !== undefined)
  );
}

/** The value that a reference names; undefined where this identity has none. */
export function findValue(identity: Identity, text: string): string | undefined {
  const found = parse(text);
  if (found === undefined) return undefined;
  const { of, which, value } = found;
  switch (of) {
    case 'entity':
      return namedValue(identity, value);
    case 'alias':
      return aliasValue(identity.aliases.get(which), value);
    case 'group id':
      return namedValue(
        identity.groups.find(({ id }) => id === which),
        value,
      );
    case 'group name':
      return namedValue(
        identity.groups.find(({ name }) => name === which),
        value,
      );
  }
}

function aliasValue(alias: Alias | undefined, value: string): string | undefined {
  const custom = keyAfter('custom_metadata.', value);
  return custom === undefined ? namedValue(alias, value) : alias?.customMetadata.get(custom);
}

function namedValue(owner: Named | undefined, value: string): string | undefined {
  if (value === 'id') return owner?.id;
  if (value === 'name') return owner?.name;
  const key = keyAfter('metadata.', value);
  return key === undefined ? undefined : owner?.metadata.get(key);
}

/** What follows a prefix; undefined where it is another, or nothing follows. */
const keyAfter = (prefix: string, text: string): string | undefined =>
  text.startsWith(prefix) && text.length > prefix.length ? text.slice(prefix.length) : undefined;
