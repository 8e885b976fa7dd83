import type { Endpoint } from '../framework/endpoint.ts';
import type { SystemWriteContext } from './context.ts';
import { readAuthTuning, tuneAuthMethod } from './routes/auth/tune.ts';
import { disableAuthMethod, enableAuthMethod, listAuthMethods, readAuthMethod } from './routes/auth.ts';
import { capabilities } from './routes/capabilities.ts';
import { capabilitiesAccessor } from './routes/capabilities-accessor.ts';
import { capabilitiesSelf } from './routes/capabilities-self.ts';
import { health } from './routes/health.ts';
import { init, readInit } from './routes/init.ts';
import { listVisibleMounts, readVisibleMount } from './routes/internal/ui/mounts.ts';
import { keyStatus } from './routes/key-status.ts';
import { leader } from './routes/leader.ts';
import { countLeases } from './routes/leases/count.ts';
import { listLeases, lookupLease } from './routes/leases/lookup.ts';
import { renewLease } from './routes/leases/renew.ts';
import { revokeLease } from './routes/leases/revoke.ts';
import { revokeForce } from './routes/leases/revoke-force.ts';
import { revokePrefix } from './routes/leases/revoke-prefix.ts';
import { tidyLeases } from './routes/leases/tidy.ts';
import { listIrrevocable } from './routes/leases.ts';
import { unlockLockedUser } from './routes/locked-users/unlock.ts';
import { readLockedUsers } from './routes/locked-users.ts';
import { readMountTuning, tuneSecretMount } from './routes/mounts/tune.ts';
import { listMounts, mountEngine, readMount, unmountEngine } from './routes/mounts.ts';
import { deletePolicy, listPolicies, readPolicy, writePolicy } from './routes/policies/acl.ts';
import {
  deletePolicyRules,
  listPolicyNames,
  readPolicyNames,
  readPolicyRules,
  writePolicyRules,
} from './routes/policy.ts';
import { readMigration } from './routes/remount/status.ts';
import { remount } from './routes/remount.ts';
import { renewLeaseOlder } from './routes/renew.ts';
import { revokeLeaseOlder } from './routes/revoke.ts';
import { revokeForceOlder } from './routes/revoke-force.ts';
import { revokePrefixOlder } from './routes/revoke-prefix.ts';
import { rotateKeyring } from './routes/rotate/keyring.ts';
import { rotate } from './routes/rotate.ts';
import { seal } from './routes/seal.ts';
import { sealStatus } from './routes/seal-status.ts';
import { unseal } from './routes/unseal.ts';
import { lookupOwnWrapping, lookupWrapping } from './routes/wrapping/lookup.ts';
import { rewrap } from './routes/wrapping/rewrap.ts';
import { unwrap } from './routes/wrapping/unwrap.ts';
import { wrap } from './routes/wrapping/wrap.ts';
import type { StatusEndpoint } from './status.ts';

/** What is served under `sys/` by the transaction of a request. */
export const systemEndpoints: readonly Endpoint<SystemWriteContext>[] = [
  listMounts,
  readMount,
  mountEngine,
  unmountEngine,
  readMountTuning,
  tuneSecretMount,
  remount,
  readMigration,
  listAuthMethods,
  readAuthMethod,
  enableAuthMethod,
  disableAuthMethod,
  readAuthTuning,
  tuneAuthMethod,
  listPolicies,
  readPolicy,
  writePolicy,
  deletePolicy,
  readPolicyNames,
  listPolicyNames,
  readPolicyRules,
  writePolicyRules,
  deletePolicyRules,
  readLockedUsers,
  unlockLockedUser,
  capabilities,
  capabilitiesAccessor,
  capabilitiesSelf,
  listVisibleMounts,
  readVisibleMount,
  lookupLease,
  listLeases,
  renewLease,
  revokeLease,
  revokePrefix,
  revokeForce,
  tidyLeases,
  countLeases,
  listIrrevocable,
  renewLeaseOlder,
  revokeLeaseOlder,
  revokePrefixOlder,
  revokeForceOlder,
  keyStatus,
  rotate,
  rotateKeyring,
  seal,
  wrap,
  unwrap,
  lookupWrapping,
  lookupOwnWrapping,
  rewrap,
];

/** What is served under `sys/` outside any transaction, also while the server is sealed. */
export const statusEndpoints: readonly StatusEndpoint[] = [readInit, init, sealStatus, unseal, health, leader];
