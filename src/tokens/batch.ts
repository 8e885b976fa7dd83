import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { decodeRecord } from '../framework/record.ts';
import type { TokenRecord } from './token.ts';
import { batchValue, MAX_BATCH_LENGTH, sealedBatch } from './value.ts';

const LABEL = 'batch token';

/** What a batch token holds: names are left out, as all of it travels with each request. */
type Packed = readonly [
  policies: readonly string[],
  displayName: string,
  path: string,
  /** The mount that gave it, and how many characters of `path` are the mount's. */
  mount: string,
  mountLength: number,
  created: number,
  ttl: number,
  entityId: string,
  metadata: TokenRecord['metadata'],
  /** Key and accessor of the parent; empty for an orphan. */
  parent: readonly string[],
  boundCidrs: readonly string[],
  role: string,
];

/**
 * The value of a batch token: its record, sealed, so that it costs no storage. 400 where it would not fit into a header.
 */
export function sealBatch(tx: SealedTransaction, record: TokenRecord): string {
  const value = batchValue(tx.sealValue(LABEL, JSON.stringify(pack(record))));
  if (value.length > MAX_BATCH_LENGTH) {
    throw badRequest(`type: a batch token holds its policies and metadata, which are too long here: use "service"`);
  }
  return value;
}

/** The record in the value of a batch token; undefined where this server never made it. */
export async function openBatch(tx: SealedTransaction, value: string): Promise<TokenRecord | undefined> {
  const sealed = sealedBatch(value);
  const plain = sealed && (await tx.openValue(LABEL, sealed));
  return plain && unpack(decodeRecord<Packed>(plain));
}

function pack({ origin, path, ancestors: [parent], ...record }: TokenRecord): Packed {
  if (origin === undefined) throw new Error('a batch token comes from a mount');
  return [
    record.policies,
    record.displayName,
    path,
    origin.mount,
    path.length - origin.path.length,
    record.created,
    record.ttl,
    record.entityId,
    record.metadata,
    parent === undefined ? [] : [parent.key, parent.accessor],
    record.boundCidrs ?? [],
    record.role ?? '',
  ];
}

function unpack(packed: Packed): TokenRecord {
  const [policies, displayName, path, mount, mountLength, created, ttl, entityId, metadata, parent, cidrs, role] =
    packed;
  const [key, accessor] = parent;
  return {
    ...{ accessor: '', type: 'batch', policies, displayName, path, metadata, created, ttl, entityId },
    ...{ explicitMaxTtl: 0, period: 0, renewable: false, numUses: 0 },
    origin: { mount, path: path.slice(mountLength) },
    expires: created + ttl * 1_000,
    ancestors: key === undefined || accessor === undefined ? [] : [{ key, accessor }],
    ...(cidrs.length > 0 ? { boundCidrs: cidrs } : {}),
    ...(role === '' ? {} : { role }),
  };
}
