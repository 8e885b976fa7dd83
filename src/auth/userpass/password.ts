import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { badRequest } from '../../framework/errors.ts';
import { type Kind, string } from '../../framework/kinds/index.ts';
import { Turns } from './turns.ts';

/** The parameters of scrypt (RFC 7914, section 2); one hash takes 128 · N · r bytes. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** Of those that OWASP's Password Storage Cheat Sheet gives as equally strong, one of 16 MiB: floods must not take memory. */
const COST: ScryptCost = { N: 2 ** 14, r: 8, p: 5 };

/** A hash keeps its parameters, so that they can be raised later. Bytes in base64. */
export interface PasswordHash {
  readonly cost: ScryptCost;
  readonly salt: string;
  readonly key: string;
}

/** What comes of checking a password. */
export interface Checked {
  readonly matches: boolean;
  /** The hash under the parameters of now, where the stored one has others. */
  readonly renewed: PasswordHash | undefined;
}

const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** Bytes of UTF-8, checked before anything is hashed. */
export const MAX_PASSWORD_BYTES = 1024;

/** Two of the four threads of Node's pool for logins: the store's commits and other work run there too. */
const AT_ONCE = 2;
/** One for passwords that are set: a flood of strangers who log in keeps no owner from changing one. */
const SET_AT_ONCE = 1;
/** About six seconds of work. */
const MAX_WAITING = 64;

/** Hashes and checks passwords with stated parameters, off the event loop. */
export class Passwords {
  readonly #cost: ScryptCost;
  readonly #turns: Turns;
  readonly #setTurns: Turns;

  constructor(
    cost: ScryptCost,
    turns = new Turns(AT_ONCE, MAX_WAITING),
    setTurns = new Turns(SET_AT_ONCE, MAX_WAITING),
  ) {
    this.#cost = cost;
    this.#turns = turns;
    this.#setTurns = setTurns;
  }

  /** 503 where too many wait. */
  hash(password: string): Promise<PasswordHash> {
    return this.#setTurns.take(() => this.#hash(password));
  }

  /**
   * Compares in constant time. Without a stored hash it works as long, and nothing matches. Under other parameters than
   * those of now it hashes anew in either case: else the time would tell who is locked out that the password is right.
   */
  check(password: string, stored: PasswordHash | undefined): Promise<Checked> {
    return this.#turns.take(async () => {
      const { cost, salt, key } = stored ?? { ...NOBODY, cost: this.#cost };
      const derived = await derive(password, Buffer.from(salt, 'base64'), cost);
      const matches = timingSafeEqual(derived, Buffer.from(key, 'base64')) && stored !== undefined;
      return { matches, renewed: this.#isOfNow(cost) ? undefined : await this.#hash(password) };
    });
  }

  async #hash(password: string): Promise<PasswordHash> {
    const salt = randomBytes(SALT_BYTES);
    const key = await derive(password, salt, this.#cost);
    return { cost: this.#cost, salt: salt.toString('base64'), key: key.toString('base64') };
  }

  #isOfNow({ N, r, p }: ScryptCost): boolean {
    return N === this.#cost.N && r === this.#cost.r && p === this.#cost.p;
  }
}

const NOBODY: Omit<PasswordHash, 'cost'> = {
  salt: Buffer.alloc(SALT_BYTES).toString('base64'),
  key: Buffer.alloc(KEY_BYTES).toString('base64'),
};

/** Ends a password: HMAC fills its key up with zero bytes (RFC 2104), so `a` and `a` with one behind it would be the same. */
const END = '\u0001';

const derive = (password: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password + END, salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });

/** All passwords of the process. */
export const passwords = new Passwords(COST);

/** The same, undefined where none or an empty one is given, as stock clients send along. */
export function optionalPassword(): Kind<string | undefined> {
  const kind = passwordKind();
  return {
    ...kind,
    required: false,
    parse: (field, value) =>
      value === undefined || value.kind === 'null' || value.text === '""' ? undefined : kind.parse(field, value),
  };
}

/** A password, which is not empty; its letters count as they are. */
export function passwordKind(): Kind<string> {
  const kind = string();
  return {
    ...kind,
    parse(field, value) {
      const text = kind.parse(field, value);
      if (text === '') throw badRequest(`${field}: is required`);
      if (Buffer.byteLength(text) > MAX_PASSWORD_BYTES) {
        throw badRequest(`${field}: must have at most ${MAX_PASSWORD_BYTES} bytes`);
      }
      return text;
    },
  };
}
