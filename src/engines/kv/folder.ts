import type { StoreReader } from '../../framework/context.ts';
import type { Listed, Names, Page } from '../../framework/listing.ts';
import { scanNames } from '../../framework/scan.ts';
import { path } from './params.ts';
import { METADATA } from './secret.ts';

/** What the lists of both versions have in common. */
export const listing = {
  params: { path },
  answer: { keys: { type: 'array', items: { type: 'string' } } },
} as const;

/** Where the records of a folder's secrets lie; the path "" is the mount itself. */
const folder = (path: string): string => (path === '' ? METADATA : `${METADATA}${path}/`);

/** The secrets and folders of a folder. */
export const listFolder = async (store: StoreReader, path: string, page: Page): Promise<Listed> => ({
  keys: await store.list({ prefix: folder(path), ...page }),
});

/** All secrets beneath a folder. */
export const scanFolder = (store: StoreReader, path: string, after: string): Names =>
  scanNames(store, folder(path), after);
