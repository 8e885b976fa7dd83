import type { SealedTransaction } from '../barrier/index.ts';
import { accessorId } from './accessor.ts';
import type { TokenRecord } from './token.ts';

/** Leases by the mount they came from and the path within it. */
export const LEASES_OF = 'lease-of/';

/** The last part of the name of a token's lease: `h` and the name of its accessor's record. */
export const tokenLeaseId = (tx: SealedTransaction, accessor: string): string => `h${accessorId(tx, accessor)}`;

/** Lists a token among the leases of the mount that gave it, so that it is found when all of them are ended. */
export function putTokenLease(tx: SealedTransaction, record: TokenRecord): void {
  const key = placeOf(tx, record);
  if (key !== undefined) tx.put(key, Buffer.alloc(0));
}

export function removeTokenLease(
  tx: SealedTransaction,
  writer: Pick<SealedTransaction, 'delete'>,
  record: TokenRecord,
): void {
  const key = placeOf(tx, record);
  if (key !== undefined) writer.delete(key);
}

function placeOf(tx: SealedTransaction, { origin, accessor }: TokenRecord): string | undefined {
  if (origin === undefined) return undefined;
  return `${LEASES_OF}${origin.mount}/${origin.path}/${tokenLeaseId(tx, accessor)}`;
}
