/**
 * Names of the barrier's own records. They are stored raw, outside the barrier, so the views given to the layers above
 * refuse to write them.
 */

/** Version of the data format, in clear. */
export const FORMAT = 'core/format';
/** How the root key is sealed: JSON in clear, the root key in it sealed. */
export const SEAL = 'core/seal';
/** There where an operator sealed a server that could open itself: it stays sealed over restarts. */
export const SEAL_HELD = 'core/seal/held';
/** The keyring, sealed by the root key. */
export const KEYRING = 'core/keyring';
/** Folder of the seals reserved per term, each sealed by the root key. */
export const USAGE = 'core/usage/';

/** Whether a storage key is the barrier's own. */
export const isOwnRecord = (key: string): boolean =>
  key.startsWith('core/') &&
  (key === KEYRING || key === SEAL || key === FORMAT || key === SEAL_HELD || key.startsWith(USAGE));
