import { type ServiceError, unavailable } from '../framework/errors.ts';

/** 503 of everything that needs a key while there is none ("4-open-points: Conventions"). */
export const sealedError = (): ServiceError => unavailable('the server is sealed');

/** A record that does not open: altered, moved, cut, or of an unknown term. Our 500; it names the storage key and nothing else. */
export class CorruptRecord extends Error {
  readonly storageKey: string;

  constructor(storageKey: string) {
    super(`the record ${JSON.stringify(storageKey)} does not open: it was altered, moved or damaged`);
    this.name = 'CorruptRecord';
    this.storageKey = storageKey;
  }
}
