import { write } from '../../context.ts';
import { beginTerm } from '../rotate.ts';

/** Newer clients of the family know `sys/rotate` by this name. */
export const rotateKeyring = write(
  'rotate/keyring',
  { summary: 'The same as rotate', params: {}, sudo: true },
  beginTerm,
);
