import { at, type Call, type Client, ROOT } from '../client.ts';
import { type Operation, type Subject, Violation } from '../witness.ts';

/** A parent and its child, alive or not, of the family of this number; all families before it are dead. */
export interface FamilyState {
  readonly number: number;
  readonly stage: 'unborn' | 'childless' | 'both' | 'bereft';
}

const RECENT = 3;

/** Families of tokens, one after the other: created, used, renewed, revoked. Who dies stays dead, and a parent takes its child along. */
export function families(name: string): Subject<FamilyState> {
  const idOf = (who: 'parent' | 'child', number: number): string => `${name}-${number}-${who}`;
  const create = (id: string, token: string): Call => {
    const body = { id, policies: ['root'], ttl: '24h' };
    return { method: 'POST', path: 'auth/token/create', token, body };
  };
  const revoke = (id: string): Call => ({ method: 'POST', path: 'auth/token/revoke', body: { token: id } });
  const revokeSelf = (id: string): Call => ({ method: 'POST', path: 'auth/token/revoke-self', token: id });
  const renew = (id: string): Call => ({ method: 'POST', path: 'auth/token/renew', body: { token: id } });
  const alive = ({ number, stage }: FamilyState): readonly string[] => [
    ...(stage === 'unborn' ? [] : [idOf('parent', number)]),
    ...(stage === 'both' ? [idOf('child', number)] : []),
  ];

  return {
    name: `tokens ${name}`,
    first: { number: 0, stage: 'unborn' },
    operation({ number, stage }, random): Operation<FamilyState> {
      const parent = idOf('parent', number);
      const child = idOf('child', number);
      if (stage === 'unborn') return { call: create(parent, ROOT), status: 200, after: { number, stage: 'childless' } };
      // A renewal moves the token's note, and changes nothing else that is seen.
      if (random.once(4)) return { call: renew(parent), status: 200, after: { number, stage } };
      if (stage === 'childless') return { call: create(child, parent), status: 200, after: { number, stage: 'both' } };
      const end = random.pick([revoke, revokeSelf]);
      if (stage === 'both' && random.once(2))
        return { call: end(child), status: 204, after: { number, stage: 'bereft' } };
      return { call: end(parent), status: 204, after: { number: number + 1, stage: 'unborn' } };
    },
    view: alive,
    async observe(client, { number }, whole) {
      const found: string[] = [];
      for (let n = whole ? 0 : Math.max(0, number - RECENT); n <= number + 1; n++) {
        for (const who of ['parent', 'child'] as const) if (await lives(client, idOf(who, n))) found.push(idOf(who, n));
      }
      return found;
    },
  };
}

/** Whether a token is alive. One that is has an accessor, by which it is found; one that is not has none. */
async function lives(client: Client, token: string): Promise<boolean> {
  const { status, json } = await client.send({ method: 'POST', path: 'auth/token/lookup', body: { token } });
  if (status !== 200) return false;
  const accessor = String(at(json, 'data', 'accessor'));
  const found = await client.send({ method: 'POST', path: 'auth/token/lookup-accessor', body: { accessor } });
  if (at(found.json, 'data', 'path') !== at(json, 'data', 'path')) {
    throw new Violation('a token that is alive is not found by its accessor', { token, status: found.status });
  }
  return true;
}
