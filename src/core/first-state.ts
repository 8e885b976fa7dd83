import type { SealedTransaction } from '../barrier/index.ts';
import { encodeRecord } from '../framework/record.ts';
import { DEFAULT_POLICY } from '../policies/index.ts';
import { createRootToken } from '../tokens/create.ts';
import { writeClusterId } from './cluster.ts';
import { CUBBYHOLE } from './cubbyhole.ts';
import type { MountEntry } from './mount-table.ts';
import { type PolicyRecord, policyKey, writeMounts } from './state.ts';
import { uuidOf } from './uuid.ts';

/**
 * What a fresh store holds, written in the transaction that initialises it: the built-in mounts, the policy `default`,
 * the identity of the cluster, and one root token, whose value is the answer. `rootTokenId` chooses that value.
 */
export async function writeFirstState(tx: SealedTransaction, rootTokenId?: string): Promise<string> {
  writeMounts(tx, [
    builtIn(tx, 'secret', 'system', 'sys/', 'system endpoints: control, policies and status'),
    builtIn(tx, 'secret', CUBBYHOLE, `${CUBBYHOLE}/`, 'secrets of one token each, gone with it'),
    builtIn(tx, 'auth', 'token', 'token/', 'tokens'),
  ]);
  const policy: PolicyRecord = { text: DEFAULT_POLICY };
  tx.put(policyKey('default'), encodeRecord(policy));
  writeClusterId(tx, uuidOf(tx.random(16)));
  const { token } = await createRootToken(tx, rootTokenId);
  return token;
}

const builtIn = (
  tx: SealedTransaction,
  kind: MountEntry['kind'],
  type: string,
  path: string,
  description: string,
): MountEntry => ({
  path,
  kind,
  type,
  uuid: uuidOf(tx.random(16)),
  accessor: `${type}_${tx.random(4).toString('hex')}`,
  description,
  options: {},
  config: {},
  local: false,
  sealWrap: false,
});
