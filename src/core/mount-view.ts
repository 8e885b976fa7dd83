import type { Data } from '../framework/answer.ts';
import type { Mount } from '../framework/context.ts';
import type { Schema } from '../framework/kinds/index.ts';
import { LOCKOUT_SCHEMA, lockoutView } from './lockout-settings.ts';
import type { MountConfig, MountEntry } from './mount-table.ts';

const text: Schema = { type: 'string' };
const seconds: Schema = { type: 'integer' };
const flag: Schema = { type: 'boolean' };
const texts: Schema = { type: 'array', items: text };

/** What an answer tells of a mount, as the family spells it; `config` as its owner set it, 0 where nothing is set. */
export const MOUNT_SCHEMA: Readonly<Record<string, Schema>> = {
  type: text,
  description: text,
  accessor: text,
  uuid: text,
  local: flag,
  seal_wrap: flag,
  options: { type: 'object', additionalProperties: text, nullable: true },
  config: { type: 'object', additionalProperties: true },
};

/** All that an owner sees of a mount. */
export const mountView = (entry: MountEntry): Data => ({
  ...briefView(entry),
  accessor: entry.accessor,
  uuid: entry.uuid,
  local: entry.local,
  seal_wrap: entry.sealWrap,
  config: {
    default_lease_ttl: entry.config.defaultLeaseTtl ?? 0,
    max_lease_ttl: entry.config.maxLeaseTtl ?? 0,
    user_lockout_config: entry.config.lockout && lockoutView(entry.config.lockout),
    ...sharedSettings(entry),
  },
});

/** What everyone may see of a mount that is listed for everyone. */
export const briefView = ({ type, description, options }: MountEntry): Data => ({
  type,
  description,
  options: Object.keys(options).length === 0 ? null : { ...options },
});

/** The members of a tune answer. */
export const TUNE_SCHEMA: Readonly<Record<string, Schema>> = {
  description: text,
  default_lease_ttl: seconds,
  max_lease_ttl: seconds,
  force_no_cache: flag,
  options: { type: 'object', additionalProperties: text },
  listing_visibility: text,
  token_type: text,
  audit_non_hmac_request_keys: texts,
  audit_non_hmac_response_keys: texts,
  passthrough_request_headers: texts,
  allowed_response_headers: texts,
  ...LOCKOUT_SCHEMA,
};

/** The settings that hold for a mount; lifetimes in seconds, those of the server where the mount sets none. */
export const tuneView = (entry: MountEntry, { defaultTtl, maxTtl }: Mount): Data => ({
  description: entry.description,
  default_lease_ttl: defaultTtl,
  max_lease_ttl: maxTtl,
  ...sharedSettings(entry),
  ...(Object.keys(entry.options).length > 0 && { options: { ...entry.options } }),
  ...(entry.config.lockout && lockoutView(entry.config.lockout)),
});

/** Settings that read the same in both answers; lists and words that are not set are left out. */
const sharedSettings = ({ kind, config }: MountEntry): Data => ({
  force_no_cache: config.forceNoCache ?? false,
  listing_visibility: config.listingVisibility,
  token_type: kind === 'auth' ? tokenType(config) : undefined,
  audit_non_hmac_request_keys: config.auditNonHmacRequestKeys,
  audit_non_hmac_response_keys: config.auditNonHmacResponseKeys,
  passthrough_request_headers: config.passthroughRequestHeaders,
  allowed_response_headers: config.allowedResponseHeaders,
});

const tokenType = ({ tokenType = 'default-service' }: MountConfig): string => tokenType;
