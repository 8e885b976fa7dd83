import assert from 'node:assert/strict';
import { render } from '../../../framework/answer.ts';
import { MAX_WRITES, type Mount, type StoreWriter, type WriteContext } from '../../../framework/context.ts';
import type { Verb } from '../../../framework/endpoint.ts';
import { Engines } from '../../../framework/engine.ts';
import { methodNotAllowed, noHandler, ServiceError } from '../../../framework/errors.ts';
import { jsonString, members, scanBody } from '../../../framework/json/index.ts';
import type { Router } from '../../../framework/router.ts';
import { compareKeys } from '../../../storage/keys.ts';
import { memoryStore } from '../../../storage/memory.ts';
import type { Transaction } from '../../../storage/store.ts';
import { kv } from '../index.ts';
import { isPlain } from '../plain.ts';

/** What a client would see of an answer; `text` is the JSON of `data`, empty where there is none. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly data: unknown;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** `lease_duration`, seconds. */
  readonly lease: number | undefined;
  /** What the endpoint said of create or update; undefined where it does not tell them apart. */
  readonly existed: boolean | undefined;
}

/** The body of a write or patch, JSON text or what is to be made such; else the query. */
export type Input = string | Readonly<Record<string, unknown>>;

/** Where purges wait, as the server's jobs do. */
const JOBS = 'job/';

interface Purge {
  readonly prefix: string;
  readonly end: string | undefined;
}

const routerOf = (version: string): Router<WriteContext> =>
  new Engines([kv]).router('secret', 'kv', new Map([['version', version]]));

/** KV, of version 2 where none is named, mounted over a store in memory, for tests: requests are routed, parsed, run and rendered as real ones are. */
export class TestMount {
  /** The clock, milliseconds since 1970: tests move it. */
  now = Date.UTC(2026, 0, 1);
  readonly #store = memoryStore({ clock: () => this.now, rehearse: true });
  readonly #maxWrites: number;
  #router: Router<WriteContext>;

  /** @param maxWrites what handlers are told of a transaction's size */
  constructor(maxWrites = MAX_WRITES, version = '2') {
    this.#maxWrites = maxWrites;
    this.#router = routerOf(version);
  }

  /** What tuning `options.version=2` does to a mount. */
  upgrade(): void {
    this.#router = routerOf('2');
  }

  /** All stored keys, sorted; without the purges that wait. */
  keys(): readonly string[] {
    return this.#contents().filter((key) => !key.startsWith(JOBS));
  }

  /** Where the data of versions is stored: `d/<id of the secret's life>/<number>`. */
  dataKeys(): readonly string[] {
    return this.keys().filter((key) => key.startsWith('d/'));
  }

  /** The versions whose data is stored: `<path>/<number>`, sorted; `?/<number>` where no secret leads to it any more. */
  data(): readonly string[] {
    const paths = new Map<string, string>();
    const inline: string[] = [];
    for (const [key, record] of this.#store.contents()) {
      if (!key.startsWith('m/')) continue;
      if (isPlain(record)) inline.push(`${key.slice(2)}/1`);
      else paths.set(`${JSON.parse(record.toString().split('\n', 1)[0] ?? '').id}`, key.slice(2));
    }
    const named = this.dataKeys().map((key) => {
      const [, id = '', number] = key.split('/');
      return `${paths.get(id) ?? '?'}/${Number(number)}`;
    });
    return [...named, ...inline].sort();
  }

  /** How many purges wait. */
  get purges(): number {
    return this.#contents().filter((key) => key.startsWith(JOBS)).length;
  }

  /** Carries out the purges that wait, each in batches of one. */
  async purge(): Promise<void> {
    for (const job of this.#contents().filter((key) => key.startsWith(JOBS))) {
      const record = this.#store.contents().get(job) ?? '';
      const { prefix, end }: Purge = JSON.parse(record.toString());
      const gone = this.keys().filter(
        (key) => key.startsWith(prefix) && (end === undefined || compareKeys(key, end) < 0),
      );
      for (const key of [...gone, job]) await this.#store.transact((tx) => tx.delete(key));
    }
  }

  #contents(): readonly string[] {
    return [...this.#store.contents().keys()].sort();
  }

  /** As `request`, and asserts the status. */
  async ask(status: number, verb: Verb, path: string, input?: Input): Promise<Reply> {
    const reply = await this.request(verb, path, input);
    assert.equal(reply.status, status, `${verb} ${path}: ${reply.errors.join()}`);
    return reply;
  }

  /** Writes versions {"n":1}, {"n":2}, … of the secret `a`. */
  async versions(count: number): Promise<void> {
    for (let n = 1; n <= count; n++) await this.ask(200, 'write', 'data/a', { data: { n } });
  }

  async request(verb: Verb, path: string, input: Input = {}): Promise<Reply> {
    try {
      return await this.#store.transact((tx) => this.#run(tx, verb, path, input));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { ...empty, status: error.status, errors: error.errors };
    }
  }

  async #run(tx: Transaction, verb: Verb, path: string, input: Input): Promise<Reply> {
    const match = this.#router.match(verb, path);
    if (match === undefined) throw noHandler();
    if (match === 'method') throw methodNotAllowed();
    const { endpoint, captured } = match;
    const json = scanBody(Buffer.from(typeof input === 'string' ? input : JSON.stringify(input)));
    const body = members(json);
    const values: Record<string, unknown> = {};
    for (const [name, kind] of Object.entries(endpoint.params)) {
      const text = captured.get(name);
      const given = kind.whole === true ? json : body.get(name);
      values[name] = kind.parse(name, text === undefined ? given : jsonString(text));
    }
    const context = contextOf(tx, this.#maxWrites);
    const existed = await endpoint.exists?.(values, context);
    const answer = await endpoint.run(values, { ...context, prepared: undefined });
    const text = answer.data === undefined ? '' : render(answer.data);
    const warnings = answer.warnings ?? [];
    const status = answer.status ?? (text === '' && warnings.length === 0 ? 204 : 200);
    const data = text === '' ? undefined : JSON.parse(text);
    return { status, text, data, errors: [], warnings, lease: answer.leaseDuration, existed };
  }
}

const empty = { text: '', data: undefined, errors: [], warnings: [], lease: undefined, existed: undefined };

function contextOf(tx: Transaction, maxWrites: number): WriteContext {
  const store: StoreWriter = {
    spend: tx.spend,
    get: (key) => tx.get(key),
    getMany: (keys) => tx.getMany(keys),
    range: (range) => tx.range(range),
    list: (listing) => tx.list(listing),
    put: (key, value) => tx.put(key, value),
    delete: (key) => tx.delete(key),
    maxWrites,
    purge: (prefix, before) => {
      const purge: Purge = { prefix, end: before === undefined ? undefined : prefix + before };
      tx.put(JOBS + tx.random(8).toString('hex'), Buffer.from(JSON.stringify(purge)));
    },
    cached: async (key, decode) => {
      const record = await tx.get(key);
      return record === undefined ? undefined : decode(record);
    },
  };
  const mount: Mount = {
    ...{ path: 'kv/', uuid: 'u', accessor: 'kv_1', type: 'kv', options: new Map() },
    ...{ defaultTtl: 1, maxTtl: 1, tokenType: 'default-service' },
  };
  const caller = { displayName: 'test', accessor: 'a', policies: ['root'], entityId: '', root: true };
  return {
    store,
    mount,
    now: tx.now,
    peer: '127.0.0.1',
    mac: (text) => text,
    headers: new Map(),
    caller,
    random: (bytes) => tx.random(bytes),
    hold: () => tx.hold(),
    leaseLives: () => false,
    visible: undefined,
  };
}
