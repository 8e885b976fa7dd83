import { hash, timingSafeEqual } from 'node:crypto';
import { writeFirstState } from '../../core/first-state.ts';
import { soon } from '../../core/soon.ts';
import { badRequest, ServiceError } from '../../framework/errors.ts';
import { describe, int } from '../../framework/kinds/index.ts';
import { notOffered } from '../../framework/not-offered.ts';
import { status } from '../status.ts';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const noPgp = notOffered('keys are given out in clear, over the connection that asked for them');

export const readInit = status(
  'read',
  'init',
  {
    summary: 'Whether the server is initialized',
    params: {},
    answer: { initialized: { type: 'boolean' } },
  },
  async (_, { service }) => ({ data: { initialized: await soon(service.barrier.initialized()) } }),
);

/**
 * Taken from this machine, or with the set-up token of the configuration: whoever comes first holds all keys
 * (4-open-points, Tokens: `init`).
 */
export const init = status(
  'write',
  'init',
  {
    summary: 'Make the keys and the first root token; shown once, stored nowhere',
    params: {
      secret_shares: describe(int(0), 'shares that the key is split into, 1 to 255'),
      secret_threshold: describe(int(0), 'shares that it takes to unseal, 2 or more of several'),
      recovery_shares: describe(int(0), 'the same where the server opens by itself: shares of the recovery key'),
      recovery_threshold: describe(int(0), 'shares that recovery takes'),
      pgp_keys: noPgp,
      recovery_pgp_keys: noPgp,
      root_token_pgp_key: noPgp,
    },
    answer: {
      keys: texts,
      keys_base64: texts,
      recovery_keys: texts,
      recovery_keys_base64: texts,
      root_token: text,
    },
  },
  async (values, { service, peer, token: presented }) => {
    const { barrier, settings } = service;
    const { initialized, recovery_seal: recovery } = await barrier.status();
    if (initialized) throw badRequest('the server is already initialized');
    if (!isLoopback(peer) && !isSetupToken(presented, settings.setupToken)) {
      throw new ServiceError(403, ['permission denied: init is taken from the machine itself, or with a set-up token']);
    }
    const { secret_shares, secret_threshold, recovery_shares, recovery_threshold } = values;
    if (recovery && (secret_shares !== 0 || secret_threshold !== 0)) {
      throw badRequest('secret_shares, secret_threshold: this server opens by itself: give recovery_… instead');
    }
    if (!recovery && (recovery_shares !== 0 || recovery_threshold !== 0)) {
      throw badRequest('recovery_shares, recovery_threshold: this server opens by shares: give secret_… instead');
    }
    const count = recovery
      ? { shares: recovery_shares, threshold: recovery_threshold }
      : { shares: secret_shares, threshold: secret_threshold };
    const { keys, result: token } = await barrier.init(count, (tx) => writeFirstState(tx));
    const hex = keys.map((key) => key.toString('hex'));
    const base64 = keys.map((key) => key.toString('base64'));
    for (const key of keys) key.fill(0);
    if (!recovery) return { data: { keys: hex, keys_base64: base64, root_token: token } };
    await barrier.tryAutoUnseal();
    return {
      data: { keys: [], keys_base64: [], recovery_keys: hex, recovery_keys_base64: base64, root_token: token },
    };
  },
);

/** Compared as digests, in constant time. */
const isSetupToken = (presented: string | undefined, configured: string | undefined): boolean =>
  presented !== undefined &&
  configured !== undefined &&
  timingSafeEqual(hash('sha256', presented, 'buffer'), hash('sha256', configured, 'buffer'));

/** 127.0.0.0/8 and ::1, of a canonical address (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3). */
const isLoopback = (address: string): boolean => address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address);
