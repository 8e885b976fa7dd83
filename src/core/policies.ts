import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest, notFound } from '../framework/errors.ts';
import { describe, type Kind, string } from '../framework/kinds/index.ts';
import type { Page } from '../framework/listing.ts';
import { notOffered } from '../framework/not-offered.ts';
import { foldPolicyName, WRAPPING_POLICY } from '../framework/policy-name.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { decodePolicyText, isPolicyName, parsePolicy, policyName, ROOT_POLICY } from '../policies/index.ts';
import { changeRevision, type PolicyRecord, policyKey, WRAPPING_TEXT } from './state.ts';

/** The policies as `sys/policies/acl` and the older `sys/policy` serve them, by their names as given. */

const byRules = 'a policy holds until it is deleted: give its rules an expiration';

/** The name of a policy in a path. */
export const pathName: Kind<string> = {
  ...describe(string(), 'name of the policy; lower case'),
  fold: foldPolicyName,
};

/** What the family takes with a policy and this server does not have: refused, or a policy that was to end would not. */
export const WITH_POLICY = {
  ttl: notOffered(byRules),
  expiration: notOffered(byRules),
  cas: notOffered('a policy has no versions'),
};

/** Policies that are part of the server: they cannot be written or deleted, and are stored nowhere. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  [ROOT_POLICY, ''],
  [WRAPPING_POLICY, WRAPPING_TEXT],
]);

/** The text of a policy under its one name; 404 where there is none. */
export async function findPolicy(
  tx: SealedTransaction,
  given: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const name = policyName(given);
  const builtIn = RESERVED.get(name);
  if (builtIn !== undefined) return { name, text: builtIn };
  const record = await tx.get(policyKey(name));
  if (record === undefined) throw notFound();
  return { name, text: decodeRecord<PolicyRecord>(record).text };
}

/** Writes a policy, which holds from the next request on, and gives what its author should know. 400 where it is none. */
export function putPolicy(tx: SealedTransaction, given: string, policy: string): string[] {
  const name = policyName(given);
  if (RESERVED.has(name)) throw badRequest(`name: the policy ${name} cannot be written`);
  const record: PolicyRecord = { text: decodePolicyText(policy) };
  const { rules } = parsePolicy(record.text);
  tx.put(policyKey(name), encodeRecord(record));
  changeRevision(tx);
  const ignored = new Set(rules.flatMap((rule) => rule.ignored ?? []));
  const warnings = [...ignored].map((key) => `policy: the rule key ${key} has no effect`);
  if (rules.some(({ expires = Number.POSITIVE_INFINITY }) => expires <= tx.now)) {
    warnings.push('policy: a rule has an expiration that is past, and no effect');
  }
  if (name !== given) warnings.push('the name was changed to lower case, without blanks around it');
  return warnings;
}

/** Deletes a policy; tokens that have it lose what it granted. What is not there is nothing. */
export async function removePolicy(tx: SealedTransaction, given: string): Promise<void> {
  // Stock clients tidy up by names that no policy can have.
  if (!isPolicyName(given)) return;
  const name = policyName(given);
  if (RESERVED.has(name) || name === 'default') throw badRequest(`name: the policy ${name} cannot be deleted`);
  if ((await tx.version(policyKey(name))) === undefined) return;
  tx.delete(policyKey(name));
  changeRevision(tx);
}

/** The names of a page, with `root` at its place among those that are stored. All of them are ASCII. */
export async function policyNames(tx: SealedTransaction, { after, limit }: Page): Promise<readonly string[]> {
  const stored = await tx.list({ prefix: policyKey(''), after, limit });
  if (after >= ROOT_POLICY) return stored;
  const place = stored.findIndex((stored) => stored > ROOT_POLICY);
  return stored.toSpliced(place === -1 ? stored.length : place, 0, ROOT_POLICY).slice(0, limit);
}
