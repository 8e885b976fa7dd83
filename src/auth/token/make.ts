import { policyKey } from '../../core/state.ts';
import type { Answer } from '../../framework/answer.ts';
import type { Values } from '../../framework/endpoint.ts';
import { badRequest } from '../../framework/errors.ts';
import { bool, describe, duration, int, string, stringMap } from '../../framework/kinds/index.ts';
import type { SystemWriteContext } from '../../sys/context.ts';
import { MAX_CHOSEN_LENGTH } from '../../tokens/value.ts';
import { grantOf, policyList } from './grant.ts';

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
  ttl: duration(0),
  lease: describe(duration(0), 'older name of ttl'),
  explicit_max_ttl: duration(0),
  period: describe(duration(0), 'needs sudo'),
  renewable: bool(true),
  num_uses: describe(int(0, { min: 0 }), '0 is unlimited'),
  no_parent: describe(bool(false), 'needs sudo'),
  id: describe(string(''), 'a value without a dot; needs sudo'),
  type: string('service'),
  entity_alias: string(''),
};

/** Checks what is asked for against what the caller may have, and grants it. 400 where it may not be had. */
export async function makeToken(
  values: Values<typeof wishes>,
  context: SystemWriteContext,
  endpoint: 'create' | 'create-orphan',
): Promise<Answer> {
  const { bearer, mount, acl, tx } = context;
  if (bearer === undefined) throw new Error('creating a token takes a token');
  if (bearer.restricted) throw badRequest('a token whose uses are counted creates no tokens');
  const path = `${mount.path}${endpoint}`;
  const orphan = endpoint === 'create-orphan' || values.no_parent;
  const sudo = acl.sudo(path, 'update');
  check(endpoint === 'create-orphan' ? { ...values, no_parent: false } : values, sudo);
  const wish = {
    policies: values.policies,
    noDefaultPolicy: values.no_default_policy,
    displayName: values.display_name,
    metadata: values.meta,
    ttl: seconds('ttl', values.ttl) || seconds('lease', values.lease),
    explicitMaxTtl: seconds('explicit_max_ttl', values.explicit_max_ttl),
    period: seconds('period', values.period),
    renewable: values.renewable,
    numUses: values.num_uses,
    orphan,
    id: values.id === '' ? undefined : values.id,
  };
  const { policies, expires } = bearer.record;
  const terms = { policies, mortal: expires !== undefined, sudo, defaultTtl: mount.defaultTtl, maxTtl: mount.maxTtl };
  const { grant, warnings } = grantOf(wish, terms, path);
  const unknown: string[] = [];
  for (const name of grant.policies) {
    if (name !== 'root' && (await tx.version(policyKey(name))) === undefined) {
      unknown.push(`policies: "${name}" does not exist and grants nothing until it does`);
    }
  }
  return { grant, warnings: [...warnings, ...unknown] };
}

function check(values: Values<typeof wishes>, sudo: boolean): void {
  if (values.type === 'batch') throw badRequest('type: batch tokens are not offered by this version: use "service"');
  if (values.type !== 'service' && values.type !== '') throw badRequest('type: must be "service"');
  if (values.entity_alias !== '')
    throw badRequest('entity_alias: needs a token role, which this version does not offer');
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

/** Whole seconds; a part of a second counts as one, so that a short lifetime never becomes none. */
function seconds(name: string, millis: number): number {
  if (millis < 0) throw badRequest(`${name}: must not be negative`);
  return Math.ceil(millis / 1000);
}
