import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../framework/errors.ts';
import { scanJson } from '../framework/json/index.ts';
import { changeSettings, SETTINGS, type Settings, settingsKind } from './mount-settings.ts';
import type { MountConfig } from './mount-table.ts';

const parse = (config: unknown): Settings => settingsKind.parse('config', scanJson(JSON.stringify(config)));
const LEASES = { defaultTtl: 100, maxTtl: 1_000 };
const change = (config: MountConfig, given: unknown): MountConfig => changeSettings(config, parse(given), LEASES);
const refused = (part: string) => (error: unknown) =>
  error instanceof ServiceError && error.status === 400 && error.message.startsWith(part);

describe('settings as given', () => {
  test('none, null and {} set nothing', () => {
    assert.deepEqual(change({}, {}), {});
    assert.deepEqual(change({}, null), {});
    assert.deepEqual(changeSettings({}, settingsKind.parse('config', undefined), LEASES), {});
  });

  test('what stock clients send along empty sets nothing', () => {
    const empty = {
      options: null,
      default_lease_ttl: '0s',
      max_lease_ttl: '',
      force_no_cache: false,
      plugin_version: '',
    };
    assert.deepEqual(change({}, { ...empty, user_lockout_config: {}, listing_visibility: '', token_type: '' }), {});
  });

  for (const [given, stored] of [
    [
      { default_lease_ttl: '1h', max_lease_ttl: 7200 },
      { defaultLeaseTtl: 3_600, maxLeaseTtl: 7_200 },
    ],
    [{ default_lease_ttl: '1000' }, { defaultLeaseTtl: 1_000 }],
    [{ default_lease_ttl: 'system', max_lease_ttl: 'system' }, {}],
    [{ force_no_cache: 'true' }, { forceNoCache: true }],
    [{ listing_visibility: 'unauth' }, { listingVisibility: 'unauth' }],
    [{ listing_visibility: 'hidden' }, { listingVisibility: 'hidden' }],
    [{ token_type: 'default-batch' }, { tokenType: 'default-batch' }],
    [{ audit_non_hmac_request_keys: 'a, b,a' }, { auditNonHmacRequestKeys: ['a', 'b'] }],
    [{ audit_non_hmac_response_keys: ['x'] }, { auditNonHmacResponseKeys: ['x'] }],
    [{ passthrough_request_headers: ['X-One', 'two'] }, { passthroughRequestHeaders: ['X-One', 'two'] }],
    [{ allowed_response_headers: 'Retry-After' }, { allowedResponseHeaders: ['Retry-After'] }],
    [
      { passthrough_request_headers: Array(64).fill('a'.repeat(256)) },
      { passthroughRequestHeaders: ['a'.repeat(256)] },
    ],
    [{ unheard_of: 1 }, {}],
  ] as const) {
    test(JSON.stringify(given).slice(0, 80), () => assert.deepEqual(change({}, given), stored));
  }

  for (const [given, field] of [
    [{ default_lease_ttl: 'soon' }, 'config.default_lease_ttl'],
    [{ default_lease_ttl: -1 }, 'config.default_lease_ttl'],
    [{ default_lease_ttl: '1500ms' }, 'config.default_lease_ttl'],
    [{ max_lease_ttl: '-1s' }, 'config.max_lease_ttl'],
    [{ max_lease_ttl: [] }, 'config.max_lease_ttl'],
    [{ default_lease_ttl: '2h', max_lease_ttl: '1h' }, 'default_lease_ttl'],
    [{ default_lease_ttl: 1_001 }, 'default_lease_ttl'],
    [{ force_no_cache: 'yes' }, 'config.force_no_cache'],
    [{ listing_visibility: 'everyone' }, 'config.listing_visibility'],
    [{ token_type: 'root' }, 'config.token_type'],
    [{ audit_non_hmac_request_keys: [''] }, 'config.audit_non_hmac_request_keys'],
    [{ audit_non_hmac_request_keys: ['a'.repeat(257)] }, 'config.audit_non_hmac_request_keys'],
    [{ allowed_response_headers: Array(65).fill('a') }, 'config.allowed_response_headers'],
    [{ allowed_response_headers: ['a b'] }, 'config.allowed_response_headers'],
    [{ allowed_response_headers: ['a\r\nb: c'] }, 'config.allowed_response_headers'],
    [{ plugin_version: 'v1.0.0' }, 'config.plugin_version'],
    [{ user_lockout_config: { lockout_threshold: '-5' } }, 'config.user_lockout_config.lockout_threshold'],
    [{ user_lockout_config: 'off' }, 'config.user_lockout_config'],
    [{ allowed_managed_keys: ['a'] }, 'config.allowed_managed_keys'],
    [{ delegated_auth_accessors: 'a' }, 'config.delegated_auth_accessors'],
    [{ identity_token_key: 'default' }, 'config.identity_token_key'],
  ] as const) {
    test(`${JSON.stringify(given).slice(0, 80)} is refused`, () =>
      assert.throws(() => change({}, given), refused(`${field}: `)));
  }

  for (const name of [
    'Authorization',
    'authorization',
    'X-Service-Token',
    'X-VAULT-TOKEN',
    'x-vault-mfa',
    'Proxy-Authorization',
  ]) {
    test(`${name} is passed to no mount (B17)`, () => {
      const given = { passthrough_request_headers: `X-One,${name}` };
      assert.throws(() => change({}, given), refused('config.passthrough_request_headers: '));
    });
  }

  test('config must be an object', () => {
    for (const config of ['x', 1, [], true]) assert.throws(() => parse(config), refused('config: '));
  });
});

describe('settings over others', () => {
  const set: MountConfig = {
    defaultLeaseTtl: 10,
    maxLeaseTtl: 20,
    forceNoCache: true,
    listingVisibility: 'unauth',
    auditNonHmacRequestKeys: ['a'],
    auditNonHmacResponseKeys: ['b'],
    passthroughRequestHeaders: ['c'],
    allowedResponseHeaders: ['d'],
    tokenType: 'service',
  };

  test('what is not given stays', () => assert.deepEqual(change(set, {}), set));

  test('what is given empty is unset', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, name.endsWith('s') ? [] : '']));
    const ttls = { default_lease_ttl: 0, max_lease_ttl: 'system' };
    assert.deepEqual(
      change(set, { ...empty, ...ttls, force_no_cache: false, plugin_version: null, user_lockout_config: {} }),
      {},
    );
  });

  for (const [given, held] of [
    [{ default_lease_ttl: 20 }, true],
    [{ default_lease_ttl: 21 }, false],
    [{ max_lease_ttl: 10 }, true],
    [{ max_lease_ttl: 9 }, false],
    [{ max_lease_ttl: 0, default_lease_ttl: 1_000 }, true],
    [{ max_lease_ttl: 0, default_lease_ttl: 1_001 }, false],
    [{ max_lease_ttl: 5_000, default_lease_ttl: 5_000 }, true],
  ] as const) {
    test(`${JSON.stringify(given)} over 10 of 20 is ${held ? 'taken' : 'refused'}`, () => {
      if (held) change(set, given);
      else assert.throws(() => change(set, given), refused('default_lease_ttl: '));
    });
  }
});
