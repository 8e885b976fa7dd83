import type { Data } from '../framework/answer.ts';
import { type Json, members } from '../framework/json/index.ts';
import { bool, int, jsonObject, type Kind, optional, type Schema } from '../framework/kinds/index.ts';
import type { LockoutConfig } from './mount-table.ts';
import { ownSeconds } from './own-seconds.ts';

/** What holds of the lockout of a mount. */
export interface LockoutRules {
  /** Failures that lock a user out. */
  readonly threshold: number;
  /** Seconds for which a user is locked out after the last failure that counted. */
  readonly duration: number;
  /** Seconds without a failure after which counting starts anew. */
  readonly counterReset: number;
  readonly disabled: boolean;
}

/** As in the family. */
const DEFAULTS: LockoutRules = { threshold: 5, duration: 15 * 60, counterReset: 15 * 60, disabled: false };

export const lockoutRules = (config: LockoutConfig = {}): LockoutRules => ({ ...DEFAULTS, ...config });

const MAX_THRESHOLD = 1_000_000;

/** Failures; 0 is the default; undefined where nothing was given. */
const threshold = optional(int(undefined, { min: 0, max: MAX_THRESHOLD }));
const duration = ownSeconds('how long a user is locked out');
const counterReset = ownSeconds('after how long without a failure counting starts anew');
const disable = optional(bool());

/** What was given of `user_lockout_config`; undefined where nothing in it was. */
export interface LockoutGiven {
  readonly threshold: number | undefined;
  readonly duration: number | undefined;
  readonly counterReset: number | undefined;
  readonly disabled: boolean | undefined;
}

/** The member `user_lockout_config`: numbers and durations as the family sends them, in texts too. */
export const lockoutKind: Kind<LockoutGiven | undefined> = {
  schema: {
    ...jsonObject().schema,
    description:
      'when failed logins lock a user out: lockout_threshold (failures), lockout_duration, lockout_counter_reset, ' +
      'lockout_disable; of auth methods whose logins can be tried',
  },
  required: false,
  parse(field, value) {
    if (value === undefined || value.kind === 'null') return undefined;
    const given = members(jsonObject().parse(field, value));
    if (given.size === 0) return undefined;
    const read = <T>(name: string, kind: Kind<T>): T => kind.parse(`${field}.${name}`, notEmpty(given.get(name)));
    return {
      threshold: read('lockout_threshold', threshold),
      duration: read('lockout_duration', duration),
      counterReset: read('lockout_counter_reset', counterReset) ?? read('lockout_counter_reset_duration', counterReset),
      disabled: read('lockout_disable', disable),
    };
  },
};

/** An empty text is nothing, as stock clients send one for what was not set. */
const notEmpty = (value: Json | undefined): Json | undefined => (value?.text === '""' ? undefined : value);

/** The settings with the given ones in their place; those that are back at the default are left out. */
export function changeLockout(
  config: LockoutConfig = {},
  given: LockoutGiven | undefined = undefined,
): LockoutConfig | undefined {
  const threshold = given?.threshold ?? config.threshold ?? 0;
  const duration = given?.duration ?? config.duration ?? 0;
  const counterReset = given?.counterReset ?? config.counterReset ?? 0;
  const disabled = given?.disabled ?? config.disabled ?? false;
  const changed = {
    ...(threshold !== 0 && { threshold }),
    ...(duration !== 0 && { duration }),
    ...(counterReset !== 0 && { counterReset }),
    ...(disabled && { disabled }),
  };
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/** Members of a tune answer, as the family names them. */
export const LOCKOUT_SCHEMA: Readonly<Record<string, Schema>> = {
  user_lockout_threshold: { type: 'integer' },
  user_lockout_duration: { type: 'integer' },
  user_lockout_counter_reset_duration: { type: 'integer' },
  user_lockout_disable: { type: 'boolean' },
};

/** What holds where an owner has set any of it; durations in seconds. */
export function lockoutView(config: LockoutConfig): Data {
  const rules = lockoutRules(config);
  return {
    user_lockout_threshold: rules.threshold,
    user_lockout_duration: rules.duration,
    user_lockout_counter_reset_duration: rules.counterReset,
    user_lockout_disable: rules.disabled,
  };
}
