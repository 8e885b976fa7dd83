import { policyKey } from '../../core/state.ts';
import type { Answer, Grant } from '../../framework/answer.ts';
import type { Values } from '../../framework/endpoint.ts';
import { badRequest } from '../../framework/errors.ts';
import { foldCase } from '../../framework/fold-case.ts';
import { bool, describe, enumOf, int, older, string, stringMap } from '../../framework/kinds/index.ts';
import { seconds } from '../../framework/token-terms.ts';
import { aliasEntity } from '../../identity/login.ts';
import type { SystemWriteContext } from '../../sys/context.ts';
import { MAX_CHOSEN_LENGTH } from '../../tokens/value.ts';
import { grantOf } from './grant.ts';
import { oneOf, policyList } from './policies.ts';
import type { TokenRole } from './role.ts';

/** Bytes of a token's metadata: it is read with each request of the token. */
const MAX_METADATA_BYTES = 64 * 1024;

/** Characters of a token's display name, which is read as often. */
const MAX_DISPLAY_NAME_LENGTH = 512;

/** What may be said of a new token. */
export const wishes = {
  policies: describe(policyList, 'names of policies; without any, those of the calling token'),
  no_default_policy: describe(bool(false), 'leave the policy "default" out'),
  display_name: string(''),
  meta: stringMap(new Map()),
  ttl: describe(seconds, 'how long it lives; 0 for the default of the mount'),
  lease: older('ttl', seconds),
  explicit_max_ttl: describe(seconds, 'an end that no renewal moves; 0 for none'),
  period: describe(seconds, 'each renewal gives it this long; needs sudo'),
  renewable: bool(true),
  num_uses: describe(int(0, { min: 0 }), '0 is unlimited'),
  no_parent: describe(bool(false), 'needs sudo'),
  id: describe(string(''), 'a value without a dot; needs sudo'),
  type: describe(enumOf(['', 'service', 'batch'], ''), 'service where nothing is said, or what the token role says'),
  entity_alias: describe(string(''), 'the alias that the token speaks for; with a token role that allows it'),
};

/** How the endpoint was called: what it says of the parent, and the role. */
export interface Way {
  readonly endpoint: string;
  readonly orphan: boolean;
  readonly role: TokenRole | undefined;
}

/** Checks what is asked for against what the caller may have, and grants it. 400 where it may not be had. */
export async function makeToken(
  values: Values<typeof wishes>,
  context: SystemWriteContext,
  { endpoint, orphan, role }: Way,
): Promise<Answer> {
  const { bearer, mount, acl, now } = context;
  if (bearer === undefined) throw new Error('creating a token takes a token');
  const { record } = bearer;
  if (record.type === 'batch') throw badRequest('a batch token creates no tokens');
  if (bearer.restricted) throw badRequest('a token whose uses are counted creates no tokens');
  const asked = mount.path + endpoint;
  const sudo = acl.sudo(asked, 'update');
  check(orphan ? { ...values, no_parent: false } : values, sudo);
  const wish = {
    type: values.type,
    policies: values.policies,
    noDefaultPolicy: values.no_default_policy,
    displayName: values.display_name,
    metadata: values.meta,
    ttl: values.ttl || values.lease,
    explicitMaxTtl: values.explicit_max_ttl,
    period: values.period,
    renewable: values.renewable,
    numUses: values.num_uses,
    orphan: orphan || values.no_parent,
    id: values.id === '' ? undefined : values.id,
  };
  const { policies, expires, boundCidrs = [] } = record;
  const limits = { defaultTtl: mount.defaultTtl, maxTtl: mount.maxTtl };
  const terms = { policies, mortal: expires !== undefined, boundCidrs, sudo, role, now, ...limits };
  const path = role === undefined || role.pathSuffix === '' ? asked : `${asked}/${role.pathSuffix}`;
  const { grant, warnings } = grantOf(wish, terms, path);
  const entity = await entityOf(context, values.entity_alias, role);
  return {
    grant: entity === undefined ? grant : { ...grant, entityId: entity },
    warnings: [...warnings, ...(await unknownPolicies(context, grant))],
  };
}

/** The entity of an alias at the mount of tokens, where the role allows that alias. */
async function entityOf(
  { tx, mount }: SystemWriteContext,
  alias: string,
  role: TokenRole | undefined,
): Promise<string | undefined> {
  if (alias === '') return undefined;
  if (role === undefined) throw badRequest('entity_alias: needs a token role that allows it');
  const isAllowed = oneOf(role.allowedEntityAliases, role.allowedEntityAliases);
  if (!isAllowed(foldCase(alias))) throw badRequest('entity_alias: is not allowed by the token role');
  return aliasEntity(tx, mount.accessor, alias);
}

async function unknownPolicies({ tx }: SystemWriteContext, { policies }: Grant): Promise<readonly string[]> {
  const warnings: string[] = [];
  tx.distant?.prefetch(policies.map(policyKey));
  for (const name of policies) {
    if (name !== 'root' && (await tx.version(policyKey(name))) === undefined) {
      warnings.push(`policies: "${name}" does not exist and grants nothing until it does`);
    }
  }
  return warnings;
}

function check(values: Values<typeof wishes>, sudo: boolean): void {
  for (const [name, given] of [
    ['id', values.id !== ''],
    ['no_parent', values.no_parent],
    ['period', values.period !== 0],
  ] as const) {
    if (given && !sudo) throw badRequest(`${name}: needs sudo on this path: leave it out`);
  }
  if (values.id.includes('.')) throw badRequest('id: must not hold a dot');
  if (values.id.length > MAX_CHOSEN_LENGTH || !/^[\x21-\x7e]*$/.test(values.id)) {
    throw badRequest(`id: must be at most ${MAX_CHOSEN_LENGTH} visible ASCII characters`);
  }
  if (values.display_name.length > MAX_DISPLAY_NAME_LENGTH) {
    throw badRequest(`display_name: must have at most ${MAX_DISPLAY_NAME_LENGTH} characters`);
  }
  let bytes = 0;
  for (const [name, text] of values.meta) bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  if (bytes > MAX_METADATA_BYTES) throw badRequest(`meta: must have at most ${MAX_METADATA_BYTES} bytes in all`);
}
