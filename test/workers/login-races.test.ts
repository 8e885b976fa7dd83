// Logins over four workers at once, with each other and with what ends them.
import { after, describe, test } from 'node:test';
import { LOGIN_RACES } from '../attacks/login-races.ts';
import { Party } from '../attacks/party.ts';
import { Client } from '../attacks/support.ts';
import { LINUX, ROOT, start } from './support.ts';

const server = await start(4);
const clients = Array.from({ length: 4 }, () => new Client(new URL(server.url).host));
after(async () => {
  for (const client of clients) client.close();
  await server.stop();
});

describe('races of logins over four workers', LINUX, () => {
  for (const [name, race] of LOGIN_RACES) test(name, () => race(new Party(clients, ROOT)));
});
