import type { Awaitable, Context, WriteContext } from './context.ts';
import type { Endpoint } from './endpoint.ts';
import { badRequest } from './errors.ts';
import { Router } from './router.ts';
import type { TokenTerms } from './token-terms.ts';

/** Options of a mount as its owner gives them: texts by name. */
export type Options = ReadonlyMap<string, string>;

/** One variant of an engine: what a mount with certain options serves. */
export interface Variant {
  readonly endpoints: readonly Endpoint<WriteContext>[];
  /**
   * Of an auth method: the terms as they are now of the user or role that a login named in `renewal`. Throws 400 where it is
   * gone, or would not be let in any more: then its tokens are not renewed.
   */
  readonly renewLogin?: (renewal: string, context: Renewal) => Awaitable<TokenTerms>;
  readonly leases?: Leases;
}

/** What is known where a login's token is renewed. */
export interface Renewal extends Pick<Context, 'store' | 'mount' | 'now' | 'peer'> {
  /** Of the token, as it was given them: sorted, `default` among them. */
  readonly policies: readonly string[];
}

/** What a secrets engine does with the leases that it grants, in the transaction that ends or renews one. */
export interface Leases {
  /** Ends what was given out under a lease's note. Where it throws, the lease is kept and tried again later. */
  revoke(note: string, context: Pick<WriteContext, 'store' | 'mount' | 'now'>): Awaitable<void>;
  /**
   * How long a lease is to live on, and with all renewals, in seconds; 0 for as before. What a renewal asks for, `increment`
   * (0 where nothing), goes before it, within its maximum. Throws 400 where the lease may not be renewed.
   */
  renew?(
    note: string,
    increment: number,
    context: Pick<WriteContext, 'store' | 'mount' | 'now'>,
  ): Awaitable<{ readonly ttl: number; readonly maxTtl: number }>;
}

/** A secrets engine or an auth method: a folder of its own, one line in the list of engines. */
export interface Engine {
  readonly type: string;
  readonly kind: 'secret' | 'auth';
  readonly summary: string;
  /** Other names of the type, each with the options it stands for: `kv-v2` is `kv` with `version` 2. */
  readonly aliases?: ReadonlyMap<string, Options>;
  /** Mounted from the first start, and nowhere else. */
  readonly builtIn?: true;
  /** The endpoints of a mount with these options. Throws 400 where the options are none of this engine. */
  variant(options: Options): Variant;
  /** Throws 400 where a mount that has the one options cannot be tuned to have the others, both of which it knows. */
  refuseChange?(from: Options, to: Options): void;
}

/** Engines by type, with the routers of their variants made once. */
export class Engines {
  readonly #engines = new Map<string, Engine>();
  readonly #routers = new Map<Variant, Router<WriteContext>>();

  constructor(engines: readonly Engine[]) {
    for (const engine of engines) this.#engines.set(`${engine.kind} ${engine.type}`, engine);
  }

  /** The engine to mount of a type or an alias of one, with the options that the alias stands for. 400 where there is none. */
  find(kind: Engine['kind'], type: string): { readonly engine: Engine; readonly options: Options } {
    const found = this.#find(kind, type);
    if (found.engine.builtIn) throw badRequest('type: is mounted from the first start, and nowhere else');
    return found;
  }

  #find(kind: Engine['kind'], type: string): { readonly engine: Engine; readonly options: Options } {
    const engine = this.#engines.get(`${kind} ${type}`);
    if (engine !== undefined) return { engine, options: new Map() };
    for (const candidate of this.#engines.values()) {
      const options = candidate.kind === kind ? candidate.aliases?.get(type) : undefined;
      if (options !== undefined) return { engine: candidate, options };
    }
    throw badRequest(`type: there is no ${kind === 'auth' ? 'auth method' : 'secrets engine'} of this type`);
  }

  /** Whether this version has an engine of this type. */
  has(kind: Engine['kind'], type: string): boolean {
    return this.#engines.has(`${kind} ${type}`);
  }

  /** What a mount of this type with these options serves. */
  variant(kind: Engine['kind'], type: string, options: Options): Variant {
    return this.#find(kind, type).engine.variant(options);
  }

  router(kind: Engine['kind'], type: string, options: Options): Router<WriteContext> {
    const variant = this.variant(kind, type, options);
    let router = this.#routers.get(variant);
    if (router === undefined) {
      router = new Router(variant.endpoints);
      this.#routers.set(variant, router);
    }
    return router;
  }
}
