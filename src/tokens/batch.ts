import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { decodeRecord } from '../framework/record.ts';
import type { TokenRecord } from './token.ts';
import { batchValue, MAX_BATCH_LENGTH, sealedBatch } from './value.ts';

const LABEL = 'batch token';

/**
 * The value of a batch token: its record, sealed, so that it costs no storage. 400 where it would not fit into a header.
 */
export function sealBatch(tx: SealedTransaction, record: TokenRecord): string {
  const value = batchValue(tx.sealValue(LABEL, JSON.stringify(record)));
  if (value.length > MAX_BATCH_LENGTH) {
    throw badRequest(`type: a batch token holds its policies and metadata, which are too long here: use "service"`);
  }
  return value;
}

/** The record in the value of a batch token; undefined where this server never made it. */
export async function openBatch(tx: SealedTransaction, value: string): Promise<TokenRecord | undefined> {
  const sealed = sealedBatch(value);
  const plain = sealed && (await tx.openValue(LABEL, sealed));
  return plain && decodeRecord<TokenRecord>(plain);
}
