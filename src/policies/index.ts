/** Policies: text → rules → compiled access control. Pure; knows no storage. */
export { Acl, type AclView, ROOT_ACL } from './acl.ts';
export type { Capability } from './capability.ts';
export { DEFAULT_POLICY } from './default.ts';
export { policyName } from './name.ts';
export { decodePolicyText, type Policy, parsePolicy, type Rule } from './parse.ts';
