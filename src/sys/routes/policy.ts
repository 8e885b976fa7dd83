import { findPolicy, pathName, policyNames, putPolicy, removePolicy, WITH_POLICY } from '../../core/policies.ts';
import { noContent } from '../../framework/answer.ts';
import { badRequest } from '../../framework/errors.ts';
import { describe, older, optional, string } from '../../framework/kinds/index.ts';
import { list, read, remove, write } from '../context.ts';

/** The older path of policies, as clients of the family still use it (4-open-points, Tokens and policies). */

const name = pathName;
const rules = describe(string(), 'the text of the policy');
const names = { type: 'array', items: { type: 'string' } } as const;

/** Names in the one answer of the older path, which is made in one piece. */
const MAX_NAMES = 10_000;

export const readPolicyNames = read(
  'policy',
  {
    summary: 'List the policies, as older clients do',
    description: `At most ${MAX_NAMES} of them; more are 400, and \`sys/policies/acl\` lists them.`,
    params: {},
    answer: { keys: names, policies: names },
    shape: 'flat',
  },
  async (_, { tx }) => {
    const keys = await policyNames(tx, { after: '', limit: MAX_NAMES + 1 });
    if (keys.length > MAX_NAMES) throw badRequest('there are too many policies for one answer: LIST sys/policies/acl');
    return { data: { keys, policies: keys } };
  },
);

export const listPolicyNames = list(
  'policy',
  { summary: 'List the policies under their older path', params: {} },
  async ({ page }, { tx }) => ({ keys: await policyNames(tx, page) }),
);

export const readPolicyRules = read(
  'policy/:name',
  {
    summary: 'Read a policy, as older clients do',
    params: { name },
    answer: { name: name.schema, rules: rules.schema },
    shape: 'flat',
  },
  async (values, { tx }) => {
    const found = await findPolicy(tx, values.name);
    return { data: { name: found.name, rules: found.text } };
  },
);

export const writePolicyRules = write(
  'policy/:name',
  {
    summary: 'Write a policy under its older path',
    params: {
      name,
      policy: describe(optional(string()), 'the rules: HCL or JSON, plain or in base64'),
      rules: older('policy', optional(string())),
      ...WITH_POLICY,
    },
  },
  (values, { tx }) => {
    const older = (values.policy ?? '') === '';
    const text = older ? values.rules : values.policy;
    if (text === undefined) throw badRequest('policy: is required');
    const warnings = putPolicy(tx, values.name, text);
    if (older) warnings.push('rules: is the older name of this parameter: use policy');
    return warnings.length === 0 ? noContent : { warnings };
  },
);

export const deletePolicyRules = remove(
  'policy/:name',
  { summary: 'Delete a policy under its older path', params: { name } },
  async (values, { tx }) => {
    await removePolicy(tx, values.name);
    return noContent;
  },
);
