import type { Params, Values } from '../framework/endpoint.ts';
import type { Engine } from '../framework/engine.ts';
import { bool, describe, optional, string, stringMap } from '../framework/kinds/index.ts';
import { notOffered } from '../framework/not-offered.ts';
import { SETTINGS, settingsKind } from './mount-settings.ts';
import type { MountChanges, MountRequest, MountRules } from './mounts.ts';
import type { Service } from './service.ts';

const path = describe(string(), 'path of the mount, of one or more segments');
const description = describe(optional(string()), 'what the mount is for, in words');

/** Parameters of enabling a secrets engine or an auth method. */
export const ENABLE = {
  path,
  type: describe(string(), 'type of the mount, such as kv'),
  description,
  options: describe(optional(stringMap()), 'options of the type, such as version of kv'),
  config: settingsKind,
  local: describe(bool(false), 'kept for clients of the family: there is no replication'),
  seal_wrap: describe(bool(false), 'kept for clients of the family: everything is sealed'),
  external_entropy_access: notOffered('randomness comes from the server itself'),
  plugin_name: notOffered('engines are a part of the server'),
  plugin_version: notOffered('engines are a part of the server'),
} satisfies Params;

/** A request as the rules of mounts take it. */
export const enableRequest = (kind: Engine['kind'], values: Values<typeof ENABLE>): MountRequest => ({
  kind,
  path: values.path,
  type: values.type,
  description: values.description ?? '',
  options: values.options ?? new Map(),
  settings: values.config,
  local: values.local,
  sealWrap: values.seal_wrap,
});

/** Parameters of tuning a mount. */
export const TUNE = {
  path,
  description,
  options: describe(optional(stringMap()), 'put over the options there are; an empty one is removed'),
  ...SETTINGS,
} satisfies Params;

/** What is to change, as the rules of mounts take it. */
export const tuneChanges = ({
  description,
  options,
  ...settings
}: Omit<Values<typeof TUNE>, 'path'>): MountChanges => ({
  description,
  options,
  settings,
});

/** Reading or disabling a mount. */
export const AT = { path } satisfies Params;

/** What the rules of mounts depend on, of a running server. */
export const rulesOf = ({ engines, settings }: Service): MountRules => ({ engines, leases: settings.leases });
