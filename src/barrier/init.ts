import { randomBytes } from 'node:crypto';
import { badRequest } from '../framework/errors.ts';
import type { Awaitable, Store } from '../storage/store.ts';
import { writeFormat } from './format.ts';
import { KEY_BYTES, Keyring } from './keyring.ts';
import { KEYRING } from './names.ts';
import { wipe } from './progress.ts';
import {
  checkShareCount,
  loneKey,
  readSeal,
  type Seal,
  SHAMIR,
  type ShareCount,
  wrapByKey,
  writeSeal,
} from './seal.ts';
import { Session, type SessionOptions } from './session.ts';
import { splitSecret } from './shamir.ts';
import { type SealedTransaction, SealedView } from './transaction.ts';
import { writeUsage } from './usage.ts';

/** What `init` answers: the shares, shown once and stored nowhere, and what `first` answered. */
export interface Initialized<T> {
  readonly keys: readonly Buffer[];
  readonly result: T;
}

/**
 * Makes format, seal and keyring, and whatever `first` writes through the new barrier, in one transaction.
 * 400 where counts make no sense or the server is initialized already.
 */
export async function initialize<T>(
  store: Store,
  seal: Seal | undefined,
  count: ShareCount,
  options: SessionOptions,
  first: (tx: SealedTransaction) => Awaitable<T>,
): Promise<Initialized<T>> {
  checkShareCount(count, seal === undefined ? 'secret' : 'recovery');
  const [rootKey, shareKey, termKey, macKey] = [newKey(), newKey(), newKey(), newKey()];
  try {
    const root = loneKey(rootKey);
    const record = {
      ...count,
      type: seal?.type ?? SHAMIR,
      root: seal === undefined ? wrapByKey(shareKey, rootKey) : await seal.wrap(rootKey),
      check: seal === undefined ? undefined : wrapByKey(shareKey, randomBytes(KEY_BYTES)),
    };
    const result = await store.transact(async (tx) => {
      if ((await readSeal(tx)) !== undefined) throw badRequest('the server is already initialized');
      const keyring = Keyring.first(termKey, macKey, tx.now);
      const raw = keyring.seal(root);
      writeFormat(tx);
      writeSeal(tx, record);
      tx.put(KEYRING, raw);
      writeUsage(tx, root, keyring.active.term, options.usage.block);
      return withSession(new Session(store, root, { keyring, raw, seals: options.usage.block }, options), (session) =>
        first(new SealedView(tx, session)),
      );
    });
    return { keys: splitSecret(shareKey, count.shares, count.threshold), result };
  } finally {
    wipe([rootKey, shareKey, termKey, macKey]);
  }
}

const newKey = (): Buffer => randomBytes(KEY_BYTES);

async function withSession<T>(session: Session, use: (session: Session) => Awaitable<T>): Promise<T> {
  try {
    return await use(session);
  } finally {
    session.close();
  }
}
