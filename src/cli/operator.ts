import { integer } from '../config/kinds.ts';
import { setting } from '../config/settings.ts';
import { EXIT, Failure, usageFailure } from '../failure.ts';
import { printable } from '../printable.ts';
import { type Answer, call } from './client.ts';
import { asJson, clientCommand } from './command.ts';
import { describeSealStatus } from './seal-status.ts';
import { readSecret } from './secret-input.ts';

export const operatorInit = clientCommand({
  name: 'operator init',
  summary: 'Initialises a new server: makes its keys and its first root token, shown this once.',
  own: {
    shares: setting(integer(1, 255), 5, 'keys to make'),
    threshold: setting(integer(1, 255), 3, 'keys that are needed to unseal'),
  },
  async run(settings, io) {
    const { recovery, initialized } = await kindOfServer(settings);
    if (initialized) throw new Failure('the server is initialised already; its keys were shown once and are not kept');
    const field = recovery ? 'recovery' : 'secret';
    const body = { [`${field}_shares`]: settings.shares, [`${field}_threshold`]: settings.threshold };
    const answer = await call(settings, { method: 'PUT', path: 'sys/init', body });
    io.out(settings.format === 'json' ? asJson(answer) : describeInit(answer, settings.threshold, recovery));
    return EXIT.ok;
  },
});

async function kindOfServer(settings: Parameters<typeof call>[0]) {
  const answer = await call(settings, { method: 'GET', path: 'sys/seal-status' });
  return { recovery: answer.get('recovery_seal') === true, initialized: answer.get('initialized') === true };
}

function describeInit(answer: Answer, threshold: number, recovery: boolean): string {
  const keys = answer.get(recovery ? 'recovery_keys_base64' : 'keys_base64');
  const list = Array.isArray(keys) ? keys.map((key) => printable(String(key))) : [];
  const name = recovery ? 'Recovery Key' : 'Unseal Key';
  const lines = list.map((key, index) => `${name} ${index + 1}: ${key}\n`).join('');
  const token = printable(String(answer.get('root_token')));
  const use = recovery
    ? `The server opens by its key file. After "operator seal" ${threshold} of these keys allow it to open again.`
    : `The server is sealed: "keyhold operator unseal" with ${threshold} of these keys opens it, after each start too.`;
  return `${lines}\nInitial Root Token: ${token}\n\n${use}\nKeep the keys apart and safe: they are shown once, and nobody can make them again.\n`;
}

export const operatorUnseal = clientCommand({
  name: 'operator unseal',
  summary: 'Gives one unseal key to a sealed server; asks for it, or reads it from a pipe, where none is named.',
  own: {},
  value: 'KEY',
  async run(settings, io, given) {
    const key = given ?? (await readSecret(io.input, io.err, 'Unseal key (not shown): '));
    if (key === '') throw usageFailure('operator unseal: no key was given');
    const answer = await call(settings, { method: 'PUT', path: 'sys/unseal', body: { key } });
    io.out(settings.format === 'json' ? asJson(answer) : describeSealStatus(answer));
    return EXIT.ok;
  },
});

export const operatorSeal = clientCommand({
  name: 'operator seal',
  summary: 'Seals a server: its keys leave the memory. Needs KEYHOLD_TOKEN of a token with sudo on sys/seal.',
  own: {},
  async run(settings, io) {
    if (settings.token === undefined) throw usageFailure('operator seal: set KEYHOLD_TOKEN to a token that may seal');
    await call(settings, { method: 'PUT', path: 'sys/seal' });
    io.out(settings.format === 'json' ? '{}\n' : 'The server is sealed.\n');
    return EXIT.ok;
  },
});
