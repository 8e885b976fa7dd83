import type { Params, Values } from '../framework/endpoint.ts';
import { badRequest } from '../framework/errors.ts';
import { members } from '../framework/json/index.ts';
import { bool, describe, enumOf, jsonObject, type Kind, optional, stringList } from '../framework/kinds/index.ts';
import { notOffered } from '../framework/not-offered.ts';
import { changeLockout, lockoutKind } from './lockout-settings.ts';
import { refusePassing, refuseSetting } from './mount-headers.ts';
import type { LeaseDefaults, MountConfig } from './mount-table.ts';
import { ownSeconds } from './own-seconds.ts';

/** Entries of one list among the settings, and characters of one entry. */
const MAX_LIST = 64;
const MAX_ENTRY = 256;

/** A bounded list of names. */
const nameList = (check: (field: string, name: string) => string): Kind<readonly string[]> => {
  const kind = stringList();
  return {
    ...kind,
    parse(field, value) {
      const names = kind.parse(field, value);
      if (names.length > MAX_LIST) throw badRequest(`${field}: must have at most ${MAX_LIST} elements`);
      return [...new Set(names.map((name) => check(field, name)))];
    },
  };
};

const plainName = (field: string, name: string): string => {
  if (name === '' || name.length > MAX_ENTRY)
    throw badRequest(`${field}: each element has 1 to ${MAX_ENTRY} characters`);
  return name;
};

const checked =
  (check: (field: string, name: string) => void) =>
  (field: string, name: string): string => {
    check(field, plainName(field, name));
    return name;
  };

/** What of a mount can be set when it is enabled (in `config`) and tuned later; undefined where it was not given. */
export const SETTINGS = {
  default_lease_ttl: ownSeconds('how long leases and tokens live unless they ask'),
  max_lease_ttl: ownSeconds('how long leases and tokens live at most'),
  force_no_cache: describe(optional(bool()), 'whether caching is switched off for this mount'),
  listing_visibility: describe(
    optional(enumOf(['', 'hidden', 'unauth'])),
    'unauth: sys/internal/ui/mounts shows the mount to everyone; hidden or empty: to those it is open to',
  ),
  audit_non_hmac_request_keys: describe(optional(nameList(plainName)), 'members of requests that audit shows in clear'),
  audit_non_hmac_response_keys: describe(optional(nameList(plainName)), 'members of answers that audit shows in clear'),
  passthrough_request_headers: describe(
    optional(nameList(checked(refusePassing))),
    'headers of requests that the engine may see, of those it asks for',
  ),
  allowed_response_headers: describe(
    optional(nameList(checked(refuseSetting))),
    'headers that the engine may set in answers',
  ),
  token_type: describe(
    optional(enumOf(['', 'default-service', 'default-batch', 'service', 'batch'])),
    'type of the tokens that logins give; of auth methods only',
  ),
  plugin_version: notOffered('engines are a part of the server'),
  user_lockout_config: lockoutKind,
  allowed_managed_keys: notOffered('there are no managed keys'),
  delegated_auth_accessors: notOffered('no engine hands requests on to an auth method'),
  identity_token_key: notOffered('engines sign no identity tokens'),
} satisfies Params;

export type Settings = Values<typeof SETTINGS>;

/** The member `config` of a request: an object of settings. Members that no setting has the name of are ignored. */
export const settingsKind: Kind<Settings> = {
  schema: { ...jsonObject().schema, description: 'settings of the mount, those that can be tuned' },
  required: false,
  parse(field, value) {
    const given = value === undefined || value.kind === 'null' ? undefined : members(jsonObject().parse(field, value));
    const read = <T>(name: string, kind: Kind<T>): T => kind.parse(`${field}.${name}`, given?.get(name));
    return {
      default_lease_ttl: read('default_lease_ttl', SETTINGS.default_lease_ttl),
      max_lease_ttl: read('max_lease_ttl', SETTINGS.max_lease_ttl),
      force_no_cache: read('force_no_cache', SETTINGS.force_no_cache),
      listing_visibility: read('listing_visibility', SETTINGS.listing_visibility),
      audit_non_hmac_request_keys: read('audit_non_hmac_request_keys', SETTINGS.audit_non_hmac_request_keys),
      audit_non_hmac_response_keys: read('audit_non_hmac_response_keys', SETTINGS.audit_non_hmac_response_keys),
      passthrough_request_headers: read('passthrough_request_headers', SETTINGS.passthrough_request_headers),
      allowed_response_headers: read('allowed_response_headers', SETTINGS.allowed_response_headers),
      token_type: read('token_type', SETTINGS.token_type),
      plugin_version: read('plugin_version', SETTINGS.plugin_version),
      user_lockout_config: read('user_lockout_config', SETTINGS.user_lockout_config),
      allowed_managed_keys: read('allowed_managed_keys', SETTINGS.allowed_managed_keys),
      delegated_auth_accessors: read('delegated_auth_accessors', SETTINGS.delegated_auth_accessors),
      identity_token_key: read('identity_token_key', SETTINGS.identity_token_key),
    };
  },
};

/**
 * The settings of a mount with the given ones in their place; what is empty, false or 0 is left out and so unset.
 * 400 where a default lifetime exceeds the maximum that would hold.
 */
export function changeSettings(config: MountConfig, given: Settings, defaults: LeaseDefaults): MountConfig {
  const defaultLeaseTtl = given.default_lease_ttl ?? config.defaultLeaseTtl ?? 0;
  const maxLeaseTtl = given.max_lease_ttl ?? config.maxLeaseTtl ?? 0;
  if (defaultLeaseTtl > (maxLeaseTtl === 0 ? defaults.maxTtl : maxLeaseTtl)) {
    throw badRequest(
      "default_lease_ttl: must not be longer than max_lease_ttl, which is the server's where none is set",
    );
  }
  const forceNoCache = given.force_no_cache ?? config.forceNoCache ?? false;
  const listingVisibility = given.listing_visibility ?? config.listingVisibility ?? '';
  const auditNonHmacRequestKeys = given.audit_non_hmac_request_keys ?? config.auditNonHmacRequestKeys ?? [];
  const auditNonHmacResponseKeys = given.audit_non_hmac_response_keys ?? config.auditNonHmacResponseKeys ?? [];
  const passthroughRequestHeaders = given.passthrough_request_headers ?? config.passthroughRequestHeaders ?? [];
  const allowedResponseHeaders = given.allowed_response_headers ?? config.allowedResponseHeaders ?? [];
  const tokenType = given.token_type ?? config.tokenType ?? '';
  const lockout = changeLockout(config.lockout, given.user_lockout_config);
  return {
    ...(defaultLeaseTtl !== 0 && { defaultLeaseTtl }),
    ...(maxLeaseTtl !== 0 && { maxLeaseTtl }),
    ...(forceNoCache && { forceNoCache }),
    ...(listingVisibility !== '' && { listingVisibility }),
    ...(auditNonHmacRequestKeys.length > 0 && { auditNonHmacRequestKeys }),
    ...(auditNonHmacResponseKeys.length > 0 && { auditNonHmacResponseKeys }),
    ...(passthroughRequestHeaders.length > 0 && { passthroughRequestHeaders }),
    ...(allowedResponseHeaders.length > 0 && { allowedResponseHeaders }),
    ...(tokenType !== '' && { tokenType }),
    ...(lockout !== undefined && { lockout }),
  };
}
