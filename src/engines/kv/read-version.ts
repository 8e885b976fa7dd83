import type { Data } from '../../framework/answer.ts';
import type { Context } from '../../framework/context.ts';
import { notFound } from '../../framework/errors.ts';
import { describeVersion } from './answers.ts';
import { findVersion, isGone, readData, viewSecret } from './secret.ts';

/**
 * One version for a reader; 0 for the latest. Its data is the stored JSON text, undefined where the version is deleted or
 * destroyed.
 * @throws ServiceError 404 when there is no such secret or version
 */
export async function readVersion(
  { store, now }: Pick<Context, 'store' | 'now'>,
  path: string,
  number: number,
): Promise<{ readonly metadata: Data; readonly data: Buffer | undefined }> {
  const secret = await viewSecret(store, path);
  const found = secret === undefined ? undefined : findVersion(secret, number);
  if (secret === undefined || found === undefined) throw notFound();
  const metadata = describeVersion(secret, found);
  return { metadata, data: isGone(found.version, now) ? undefined : await readData(store, path, secret, found.number) };
}
