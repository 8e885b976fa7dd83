import type { SealedTransaction } from '../barrier/index.ts';
import { accessorId } from './accessor.ts';
import type { TokenRecord } from './token.ts';

/** Leases by the mount they came from and the path within it. */
export const LEASES_OF = 'lease-of/';

/** The last part of the name of a token's lease: `h` and the name of its accessor's record. */
export const tokenLeaseId = (tx: SealedTransaction, accessor: string): string => `h${accessorId(tx, accessor)}`;

/** Lists a token among the leases of the mount that gave it, so that it is found when all of them are ended. */
export function putTokenLease(tx: SealedTransaction, record: TokenRecord, id = accessorId(tx, record.accessor)): void {
  const key = placeOf(record, id);
  if (key !== undefined) tx.put(key, Buffer.alloc(0));
}

export function removeTokenLease(
  tx: SealedTransaction,
  writer: Pick<SealedTransaction, 'delete'>,
  record: TokenRecord,
  id = accessorId(tx, record.accessor),
): void {
  const key = placeOf(record, id);
  if (key !== undefined) writer.delete(key);
}

const placeOf = ({ origin }: TokenRecord, id: string): string | undefined =>
  origin && `${LEASES_OF}${origin.mount}/${origin.path}/h${id}`;
