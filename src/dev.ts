import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SealedTransaction } from './barrier/index.ts';
import { mountMissing, writeFirstState } from './core/first-state.ts';
import { settingsKind } from './core/mount-settings.ts';
import { enableMount, type MountRequest } from './core/mounts.ts';
import type { Service } from './core/service.ts';
import { readMounts } from './core/state.ts';
import { Failure, reasonOf, systemCode } from './failure.ts';
import { createRootToken } from './tokens/create.ts';
import { liveToken, type Standing, tokenKey } from './tokens/store.ts';

/** What `dev.json` keeps for whoever owns the data folder. */
export interface DevSecrets {
  readonly rootToken: string;
  /** Base64. */
  readonly unsealKey: string;
}

/** Where development mode keeps its secrets, mode 0600. */
export const devFile = (folder: string): string => join(folder, 'dev.json');

/**
 * Brings a server into development mode: initialised with one share, unsealed, a root token that works, `secret/`
 * mounted as KV v2. With `rootTokenId` that value is a root token too; those there are stay.
 */
export async function openDevelopment(service: Service, folder: string, rootTokenId?: string): Promise<DevSecrets> {
  const { barrier } = service;
  const kept = (await barrier.initialized()) ? readSecrets(folder) : await initialize(service, folder, rootTokenId);
  const { sealed } = await barrier.submit(Buffer.from(kept.unsealKey, 'base64'));
  if (sealed) throw new Failure(`the unseal key in ${devFile(folder)} is not the one of this data`);
  await barrier.transact(mountMissing);
  const rootToken = await barrier.transact(async (tx) => {
    const standing = await service.state.current(tx);
    return ensureRootToken(tx, standing, rootTokenId ?? kept.rootToken, rootTokenId);
  });
  if (rootToken !== kept.rootToken) writeSecrets(folder, { ...kept, rootToken });
  await barrier.transact((tx) => mountSecret(tx, service));
  return { ...kept, rootToken };
}

async function initialize({ barrier }: Service, folder: string, rootTokenId?: string): Promise<DevSecrets> {
  const { keys, result } = await barrier.init({ shares: 1, threshold: 1 }, (tx) => writeFirstState(tx, rootTokenId));
  const secrets = { rootToken: result, unsealKey: keys[0]?.toString('base64') ?? '' };
  writeSecrets(folder, secrets);
  return secrets;
}

/** A live root token: the wanted one where there is or can be one, else a new one, where the kept one was revoked. */
async function ensureRootToken(
  tx: SealedTransaction,
  standing: Standing,
  wanted: string,
  chosen: string | undefined,
): Promise<string> {
  const record = await liveToken(tx, standing, tokenKey(tx, wanted));
  if (record?.policies.includes('root')) return wanted;
  if (record !== undefined) {
    throw new Failure('dev_root_token_id: a token of this value exists and is no root token; choose another');
  }
  return (await createRootToken(tx, chosen)).token;
}

const SECRET: MountRequest = {
  kind: 'secret',
  path: 'secret',
  type: 'kv',
  description: 'key-value secrets of development mode',
  options: new Map([['version', '2']]),
  settings: settingsKind.parse('config', undefined),
  local: false,
  sealWrap: false,
};

async function mountSecret(tx: SealedTransaction, { engines, settings }: Service): Promise<void> {
  const taken = (await readMounts(tx)).some(({ kind, path }) => kind === 'secret' && path.startsWith('secret/'));
  if (!taken) await enableMount(tx, { engines, leases: settings.leases }, SECRET);
}

function readSecrets(folder: string): DevSecrets {
  const file = devFile(folder);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw notOfDevelopment(folder);
    const reason = error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error);
    throw new Failure(`${file} cannot be read: ${reason}`);
  }
  if (typeof value === 'object' && value !== null && 'root_token' in value && 'unseal_key' in value) {
    const { root_token: rootToken, unseal_key: unsealKey } = value;
    if (typeof rootToken === 'string' && typeof unsealKey === 'string') return { rootToken, unsealKey };
  }
  throw new Failure(`${file} must hold the texts root_token and unseal_key`);
}

const notOfDevelopment = (folder: string): Failure =>
  new Failure(
    `the data in ${folder} was not made by development mode: ${devFile(folder)} is missing. Start without --dev and unseal it with its own keys, or choose another --data. (A very first start that was cut short leaves this too: then nothing is stored yet.)`,
  );

/** Whole or not at all, and on disk before the server answers anyone. */
function writeSecrets(folder: string, { rootToken, unsealKey }: DevSecrets): void {
  const file = devFile(folder);
  const draft = `${file}.new`;
  const text = `${JSON.stringify({ root_token: rootToken, unseal_key: unsealKey }, undefined, 2)}\n`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, file);
    syncFolder(folder);
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${reasonOf(error)}`);
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
