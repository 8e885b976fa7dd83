import { at, type Client } from '../client.ts';
import type { Random } from '../random.ts';
import { type Findings, NOTHING, Violation, type Witness } from '../witness.ts';

const USES = 60;

/** One token of a counted number of uses. */
interface Counted {
  readonly id: string;
  born: boolean;
  /** Its creation, for which all clients wait: whether it was taken. */
  birth: Promise<boolean> | undefined;
  acknowledged: number;
  /** Uses under way, or of unknown outcome. */
  unknown: number;
}

/**
 * Tokens of 60 uses that several clients use up at once: over all lives of the server there are never more than 60, and
 * none that was acknowledged is given back.
 */
export class CountedUses implements Witness {
  readonly #name: string;
  #number = 0;
  #current: Counted;

  constructor(name: string) {
    this.#name = name;
    this.#current = this.#next();
  }

  #next(): Counted {
    return { id: `${this.#name}-${this.#number++}`, born: false, birth: undefined, acknowledged: 0, unknown: 0 };
  }

  async step(client: Client, random: Random): Promise<boolean> {
    const token = this.#current;
    if (!token.born) {
      token.birth ??= this.#create(client, token);
      return token.birth;
    }
    token.unknown++;
    const path = random.pick(['auth/token/lookup-self', 'secret/data/nothing/there']);
    const { status } = await client.send({ method: 'GET', path, token: token.id });
    token.unknown--;
    if (status === 503) return false;
    if (status !== 403) token.acknowledged++;
    if (token.acknowledged > USES) throw new Violation(`${token.id}: used ${token.acknowledged} times of ${USES}`);
    if (status === 403) {
      const most = token.acknowledged + token.unknown;
      if (most < USES) throw new Violation(`${token.id}: refused after ${most} uses of ${USES} at most`);
      if (token === this.#current) this.#current = this.#next();
    }
    return true;
  }

  async #create(client: Client, token: Counted): Promise<boolean> {
    const body = { id: token.id, policies: ['root'], num_uses: USES };
    const { status } = await client.send({ method: 'POST', path: 'auth/token/create', body });
    if (status !== 200 && status !== 503) throw new Violation(`${token.id}: created with ${status}`);
    token.born = status === 200;
    token.birth = undefined;
    return token.born;
  }

  async check(client: Client): Promise<Findings> {
    const token = this.#current;
    const { id, acknowledged, unknown, born } = token;
    const { status, json } = await client.send({ method: 'POST', path: 'auth/token/lookup', body: { token: id } });
    if (!born) {
      const found = status === 200;
      const tried = token.birth !== undefined;
      if (found && !tried) throw new Violation(`${id}: exists though nobody created it`);
      this.#current = { ...token, born: found, birth: undefined };
      return tried ? { found: Number(found), absent: Number(!found) } : NOTHING;
    }
    const used = status === 200 ? USES - Number(at(json, 'data', 'num_uses')) : USES;
    if (used < acknowledged || used > acknowledged + unknown)
      throw new Violation(`${id}: ${used} uses are spent, ${acknowledged} were acknowledged and ${unknown} unknown`);
    this.#current = { id, born: true, birth: undefined, acknowledged: used, unknown: 0 };
    if (status !== 200) this.#current = this.#next();
    return { found: used - acknowledged, absent: acknowledged + unknown - used };
  }
}
