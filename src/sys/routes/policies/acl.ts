import type { SealedTransaction } from '../../../barrier/index.ts';
import { changeRevision, type PolicyRecord, policyKey } from '../../../core/state.ts';
import { noContent } from '../../../framework/answer.ts';
import { badRequest, notFound } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import type { Page } from '../../../framework/listing.ts';
import { decodeRecord, encodeRecord } from '../../../framework/record.ts';
import { decodePolicyText, parsePolicy, policyName } from '../../../policies/index.ts';
import { list, read, remove, write } from '../../context.ts';

/** Permits everything; it has no text and is stored nowhere. */
const ROOT = 'root';

const name = describe(string(), 'name of the policy; lower case');
const policy = describe(string(), 'the rules: HCL or JSON, plain or in base64');

export const listPolicies = list(
  'policies/acl',
  { summary: 'List the policies', params: {} },
  async ({ page }, { tx }) => ({
    keys: await policyNames(tx, page),
  }),
);

export const readPolicy = read(
  'policies/acl/:name',
  { summary: 'Read a policy', params: { name }, answer: { name: name.schema, policy: policy.schema }, shape: 'flat' },
  async (values, { tx }) => {
    const found = policyName(values.name);
    if (found === ROOT) return { data: { name: ROOT, policy: '' } };
    const record = await tx.get(policyKey(found));
    if (record === undefined) throw notFound();
    return { data: { name: found, policy: decodeRecord<PolicyRecord>(record).text } };
  },
);

export const writePolicy = write(
  'policies/acl/:name',
  { summary: 'Write a policy; it holds at once, for the tokens there are too', params: { name, policy } },
  (values, { tx }) => {
    const written = policyName(values.name);
    if (written === ROOT) throw badRequest('name: the policy root cannot be written');
    const record: PolicyRecord = { text: decodePolicyText(values.policy) };
    const { rules } = parsePolicy(record.text);
    tx.put(policyKey(written), encodeRecord(record));
    changeRevision(tx);
    const ignored = new Set(rules.flatMap((rule) => rule.ignored ?? []));
    const warnings = [...ignored].map((key) => `policy: the rule key ${key} has no effect`);
    if (written !== values.name) warnings.push('the name was changed to lower case, without blanks around it');
    return warnings.length === 0 ? noContent : { warnings };
  },
);

export const deletePolicy = remove(
  'policies/acl/:name',
  { summary: 'Delete a policy; tokens that have it lose what it granted', params: { name } },
  async (values, { tx }) => {
    const gone = policyName(values.name);
    if (gone === ROOT || gone === 'default') throw badRequest('name: the policies root and default cannot be deleted');
    if ((await tx.version(policyKey(gone))) === undefined) return noContent;
    tx.delete(policyKey(gone));
    changeRevision(tx);
    return noContent;
  },
);

/** The names of a page, with `root` at its place among those that are stored. All of them are ASCII. */
async function policyNames(tx: SealedTransaction, { after, limit }: Page): Promise<readonly string[]> {
  const stored = await tx.list({ prefix: policyKey(''), after, limit });
  if (after >= ROOT) return stored;
  const place = stored.findIndex((stored) => stored > ROOT);
  return stored.toSpliced(place === -1 ? stored.length : place, 0, ROOT).slice(0, limit);
}
