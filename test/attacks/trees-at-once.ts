import assert from 'node:assert/strict';
import { at, type Client } from './support.ts';

const USES = 5;
const AT_ONCE = 64;
const MAKER = 'path "auth/token/*" { capabilities = ["create", "update", "read", "sudo"] }';

interface Made {
  readonly token: string;
  readonly batch: boolean;
}

/**
 * What must hold of tokens over all these clients of one store, however much is asked at once (known-attacks B7, B13):
 * a token of five uses serves five of 64 requests, and what is created while its parent ends has ended with it.
 * @param root a root token
 */
export async function treesAtOnce(clients: readonly Client[], root: string): Promise<void> {
  const [first] = clients;
  assert.ok(first !== undefined);
  await first.expect(204, 'POST', 'sys/policies/acl/trees-at-once', { token: root, body: { policy: MAKER } });
  await usesAtOnce(clients, root);
  for (let round = 0; round < 2; round++) {
    await endAtOnce(clients, root, 'revoke');
    await endAtOnce(clients, root, 'revoke-orphan');
  }
}

const of = (clients: readonly Client[], i: number): Client =>
  clients[i % clients.length] ?? assert.fail('there is a client');

async function make(client: Client, token: string, body: object): Promise<string> {
  const { json } = await client.expect(200, 'POST', 'auth/token/create', { token, body });
  return String(at(json, 'auth', 'client_token'));
}

async function usesAtOnce(clients: readonly Client[], root: string): Promise<void> {
  const token = await make(of(clients, 0), root, { policies: ['default'], num_uses: USES });
  // Some renew it, some are refused, some only look: each is a use.
  const ways = [
    ['GET', 'auth/token/lookup-self'],
    ['POST', 'auth/token/renew-self'],
    ['GET', 'sys/mounts'],
  ] as const;
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) => {
      const [method, path] = ways[i % ways.length] ?? ways[0];
      return of(clients, i).send(method, path, { token });
    }),
  );
  for (const client of clients) await client.expect(403, 'GET', 'auth/token/lookup-self', { token });
  const served = answers.filter(({ status }) => status === 200 || status === 400).length;
  assert.ok(served <= USES, `${served} were served`);
  const counted = await make(of(clients, 0), root, { policies: ['default'], num_uses: USES });
  const looks = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) => of(clients, i).send('GET', 'auth/token/lookup-self', { token: counted })),
  );
  assert.equal(looks.filter(({ status }) => status === 200).length, USES);
  assert.equal(looks.filter(({ status }) => status === 403).length, AT_ONCE - USES);
}

/** Children, grandchildren and batch tokens are asked for while the parent is revoked, with them or alone. */
async function endAtOnce(clients: readonly Client[], root: string, end: 'revoke' | 'revoke-orphan'): Promise<void> {
  const parent = await make(of(clients, 0), root, { policies: ['trees-at-once'] });
  const child = await make(of(clients, 1), parent, {});
  const asked = Array.from({ length: AT_ONCE }, async (_, i): Promise<Made | undefined> => {
    const batch = i % 3 === 0;
    const body = batch ? { type: 'batch' } : {};
    const token = i % 2 === 0 ? parent : child;
    const { status, json } = await of(clients, i).send('POST', 'auth/token/create', { token, body });
    assert.ok(status === 200 || status === 403, String(status));
    return status === 200 ? { token: String(at(json, 'auth', 'client_token')), batch } : undefined;
  });
  const ended = of(clients, 2).expect(204, 'POST', `auth/token/${end}`, { token: root, body: { token: parent } });
  const made = (await Promise.all(asked)).flatMap((one) => one ?? []);
  await ended;
  const all = [...made, { token: child, batch: false }];
  for (const [i, { token }] of all.entries()) {
    const wanted = end === 'revoke' ? 403 : 200;
    await of(clients, i).expect(wanted, 'GET', 'auth/token/lookup-self', { token });
  }
  // Whoever was let go depends on the parent no more, and has none.
  if (end === 'revoke-orphan') {
    const { json } = await of(clients, 0).expect(200, 'GET', 'auth/token/lookup-self', { token: child });
    assert.equal(at(json, 'data', 'orphan'), true);
    await of(clients, 1).expect(204, 'POST', 'auth/token/revoke', { token: root, body: { token: child } });
  }
  for (const client of clients) await client.expect(403, 'GET', 'auth/token/lookup-self', { token: parent });
}
