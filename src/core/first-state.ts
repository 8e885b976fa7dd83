import type { SealedTransaction } from '../barrier/index.ts';
import { encodeRecord } from '../framework/record.ts';
import { DEFAULT_POLICY } from '../policies/index.ts';
import { createRootToken } from '../tokens/create.ts';
import { writeClusterId } from './cluster.ts';
import { CUBBYHOLE } from './cubbyhole.ts';
import type { MountEntry } from './mount-table.ts';
import { type PolicyRecord, policyKey, readMounts, writeMounts } from './state.ts';
import { uuidOf } from './uuid.ts';

/**
 * What a fresh store holds, written in the transaction that initialises it: the built-in mounts, the policy `default`,
 * the identity of the cluster, and one root token, whose value is the answer. `rootTokenId` chooses that value.
 */
export async function writeFirstState(tx: SealedTransaction, rootTokenId?: string): Promise<string> {
  writeMounts(
    tx,
    BUILT_IN.map((mount) => builtIn(tx, mount)),
  );
  const policy: PolicyRecord = { text: DEFAULT_POLICY };
  tx.put(policyKey('default'), encodeRecord(policy));
  writeClusterId(tx, uuidOf(tx.random(16)));
  const { token } = await createRootToken(tx, rootTokenId);
  return token;
}

/** What is mounted from the first start, and nowhere else. */
const BUILT_IN: readonly Pick<MountEntry, 'kind' | 'type' | 'path' | 'description'>[] = [
  { kind: 'secret', type: 'system', path: 'sys/', description: 'system endpoints: control, policies and status' },
  { kind: 'secret', type: 'identity', path: 'identity/', description: 'entities, their aliases and groups' },
  { kind: 'secret', type: CUBBYHOLE, path: `${CUBBYHOLE}/`, description: 'secrets of one token each, gone with it' },
  { kind: 'auth', type: 'token', path: 'token/', description: 'tokens' },
];

/** Mounts what a store of an earlier version lacks of that; where it lacks nothing, nothing is written. */
export async function mountMissing(tx: SealedTransaction): Promise<void> {
  const entries = await readMounts(tx);
  const missing = BUILT_IN.filter(({ kind, type }) => !entries.some((one) => one.kind === kind && one.type === type));
  if (missing.length > 0) writeMounts(tx, [...entries, ...missing.map((mount) => builtIn(tx, mount))]);
}

const builtIn = (tx: SealedTransaction, mount: (typeof BUILT_IN)[number]): MountEntry => ({
  ...mount,
  uuid: uuidOf(tx.random(16)),
  accessor: `${mount.type}_${tx.random(4).toString('hex')}`,
  options: {},
  config: {},
  local: false,
  sealWrap: false,
});
