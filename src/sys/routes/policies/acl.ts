import { findPolicy, pathName, policyNames, putPolicy, removePolicy, WITH_POLICY } from '../../../core/policies.ts';
import { noContent } from '../../../framework/answer.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { list, read, remove, write } from '../../context.ts';

const name = pathName;
const policy = describe(string(), 'the rules: HCL or JSON, plain or in base64');

export const listPolicies = list(
  'policies/acl',
  { summary: 'List the policies', params: {} },
  async ({ page }, { tx }) => ({ keys: await policyNames(tx, page) }),
);

export const readPolicy = read(
  'policies/acl/:name',
  { summary: 'Read a policy', params: { name }, answer: { name: name.schema, policy: policy.schema }, shape: 'flat' },
  async (values, { tx }) => {
    const found = await findPolicy(tx, values.name);
    return { data: { name: found.name, policy: found.text } };
  },
);

export const writePolicy = write(
  'policies/acl/:name',
  {
    summary: 'Write a policy; it holds at once, for the tokens there are too',
    params: { name, policy, ...WITH_POLICY },
  },
  (values, { tx }) => {
    const warnings = putPolicy(tx, values.name, values.policy);
    return warnings.length === 0 ? noContent : { warnings };
  },
);

export const deletePolicy = remove(
  'policies/acl/:name',
  { summary: 'Delete a policy; tokens that have it lose what it granted', params: { name } },
  async (values, { tx }) => {
    await removePolicy(tx, values.name);
    return noContent;
  },
);
