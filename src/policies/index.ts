/** Policies: text → rules → compiled access control. Pure; knows no storage. */

export { isPolicyName, policyName, ROOT_POLICY } from '../framework/policy-name.ts';
export { Acl, type AclView, type Decision, NO_ACL, ROOT_ACL } from './acl.ts';
export type { Capability } from './capability.ts';
export { Constraints, type WrappingBounds, withinBounds } from './constraints.ts';
export { DEFAULT_POLICY } from './default.ts';
export { formatPolicy } from './format.ts';
export { globOf } from './glob.ts';
export type { Alias, Identity, Named } from './identity.ts';
export type { KeyFilter } from './key-filter.ts';
export type { GivenParameter } from './parameters.ts';
export { decodePolicyText, type Policy, parsePolicy, type Rule } from './parse.ts';
