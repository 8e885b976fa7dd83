import type { Awaitable } from '../storage/store.ts';
import type { Answer, Data } from './answer.ts';
import type { Caller, Context, PrepareContext, WriteContext } from './context.ts';
import type { ServiceError } from './errors.ts';
import { describe, int, type Kind, type Schema, string } from './kinds/index.ts';
import { answerList, type Listed, type Names, namesOf, type Page, shownNames } from './listing.ts';
import type { PathNames } from './pattern.ts';

/** What an endpoint does. It says the HTTP method, the capability a policy must grant, and whether it may write. */
export type Verb = 'read' | 'list' | 'scan' | 'write' | 'patch' | 'remove';

/**
 * Who may call: whom a policy permits (what holds where nothing is said); anybody with a valid token; anybody, a token
 * being looked at where there is one; anybody, no token being looked at.
 */
export type Access = 'policy' | 'token' | 'optional' | 'none';

/**
 * How an answer stands on the wire: in the envelope; in the envelope with the members of `data` at the top level too;
 * without one; as plain text, the member `text` of `data` (4-open-points, Conventions); wrapped or not at all; or as an
 * earlier answer stood.
 */
export type Shape = 'envelope' | 'flat' | 'bare' | 'text' | 'wrapped' | 'verbatim';

export type Params = Readonly<Record<string, Kind<unknown>>>;
export type Values<P extends Params> = { readonly [K in keyof P]: P[K] extends Kind<infer T> ? T : never };

/** What is declared of an endpoint besides its path; all that is known of it is derived from here. */
export interface Spec<P extends Params, N extends string, A extends Access, R, T> {
  readonly summary: string;
  readonly description?: string;
  /** Every parameter that arrives, those of the path included. */
  readonly params: P;
  /** The members of `data` in the answer. */
  readonly answer?: Readonly<Record<string, Schema>>;
  readonly access?: A;
  readonly sudo?: boolean;
  readonly shape?: Shape;
  /** By the body, what a request is refused with whose token is not alive; 403 where nothing is said. */
  readonly deadToken?: (body: Buffer) => ServiceError;
  /**
   * Headers of the request that the handler wants to see. It sees those that the mount's owner hands on
   * (`passthrough_request_headers`), and never one that carries a token (known-attacks B17). Engines and auth methods only.
   */
  readonly headers?: readonly Lowercase<string>[];
  /**
   * Tells by the parameters of the path whether what is written exists: then a policy must grant `update`, else
   * `create`. Without it: `update`.
   */
  readonly exists?: (values: Pick<Values<P>, N & keyof P>, context: R) => Awaitable<boolean>;
  /**
   * Slow or outside work, done before the transaction with reads of its own and no writes; done again where what it
   * read has changed. What it returns is `context.prepared`.
   */
  readonly prepare?: (values: Values<P>, context: PrepareContext) => Promise<T>;
  /** Of a login that may be tried until it succeeds: whose failures, thrown as `InvalidCredentials`, lock whom out. */
  readonly login?: LoginSpec<Values<P>>;
}

export interface LoginSpec<V> {
  /** The name in its one form, so that all its spellings have one count (known-attacks B4). */
  alias(values: V): string;
  /** The sentence of every refusal. */
  readonly refusal: string;
}

/** What is declared of a list besides. */
export interface ListSpec<P extends Params, N extends string, A extends Access, R> extends Spec<P, N, A, R, undefined> {
  /**
   * What an entry stands for: paths of the same mount whose one parameter is the entry's name, behind the folder that is
   * listed where there is one. Where the mount filters its lists, an entry is shown to who may read one of these.
   */
  readonly entries?: readonly string[];
  /** What `key_info` tells of these names, by name; reads each once or twice. */
  readonly info?: (keys: readonly string[], context: R) => Awaitable<Data>;
}

/** An endpoint with its types forgotten; C is the richest context that a handler of its kind of engine gets. */
export interface Endpoint<C> {
  readonly verb: Verb;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly params: Params;
  readonly answer: Readonly<Record<string, Schema>>;
  readonly access: Access;
  readonly sudo: boolean;
  readonly shape: Shape;
  readonly deadToken: ((body: Buffer) => ServiceError) | undefined;
  readonly entries: readonly string[];
  readonly headers: readonly string[];
  readonly exists: ((values: Arrived, context: Anybody<C>) => Awaitable<boolean>) | undefined;
  readonly prepare: ((values: Arrived, context: PrepareContext) => Promise<unknown>) | undefined;
  readonly login: LoginSpec<Arrived> | undefined;
  readonly run: (values: Arrived, context: Anybody<C> & Prepared<unknown>) => Awaitable<Answer>;
}

/** A context of which `access` decides whether there is a caller. */
export type Anybody<C> = Omit<C, 'caller'> & { readonly caller: Caller | undefined };

/** Parsed parameters by name. */
export type Arrived = Readonly<Record<string, unknown>>;

export interface Prepared<T> {
  readonly prepared: T;
}

/** A context as the declared access allows to see it. */
type As<C, A extends Access> = A extends 'none' ? Omit<C, 'caller'> : A extends 'optional' ? Anybody<C> : C;

type Handler<P extends Params, C, A extends Access, T, Result> = (
  values: Values<P>,
  context: As<C, A> & Prepared<T>,
) => Awaitable<Result>;

/** Parameters that every list has. */
const PAGE = {
  after: describe(string(''), 'list the entries after this one, which need not exist'),
  limit: describe(int(0), 'at most this many entries; 0 or less for all'),
};

/**
 * The words with which endpoints are declared, for handlers whose contexts are R (reading) and W (writing).
 * A parameter of the path that is not declared, a write in a `read`, or the caller in an endpoint that takes no token
 * does not compile.
 */
export function verbs<R extends Pick<Context, 'hold' | 'visible'>, W extends R>() {
  const word =
    <C extends R>(verb: Verb) =>
    <
      const Path extends string,
      P extends Params & Record<PathNames<Path>, Kind<unknown>>,
      A extends Access = 'policy',
      T = undefined,
    >(
      path: Path,
      spec: Spec<P, PathNames<Path>, A, R, T>,
      handler: Handler<P, C, A, T, Answer>,
    ): Endpoint<W> =>
      forget<W, P>(verb, path, spec, handler);

  /** The declaration of a list of either verb, whose handler reads its names or gives a page of them. */
  const lists = <P extends Params>(
    verb: Verb,
    path: string,
    // biome-ignore lint/suspicious/noExplicitAny: the types are known to the callers below and forgotten here
    spec: ListSpec<P, any, Access, any>,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    names: (values: any, context: any) => Names,
  ): Endpoint<W> =>
    forget<W, P & typeof PAGE>(verb, path, { ...spec, params: { ...spec.params, ...PAGE } }, (values, context) => {
      const shown = (): Names => shownNames(names(values, context), values.limit, context.visible);
      const { info } = spec;
      const described = info && {
        names: shown,
        info: (keys: readonly string[]): Awaitable<Data> => info(keys, context),
      };
      return answerList(shown(), (begin) => context.hold(begin), verb === 'scan', described);
    });

  return {
    read: word<R>('read'),
    write: word<W>('write'),
    patch: word<W>('patch'),
    remove: word<W>('remove'),
    /** Of the direct children of a folder; the handler answers one page of them. */
    list: <
      const Path extends string,
      P extends Params & Record<PathNames<Path>, Kind<unknown>>,
      A extends Access = 'policy',
    >(
      path: Path,
      spec: ListSpec<P, PathNames<Path>, A, R>,
      handler: (values: Values<P> & { readonly page: Page }, context: As<R, A>) => Awaitable<Listed>,
    ): Endpoint<W> =>
      lists('list', path, spec, (values, context) =>
        namesOf((page) => handler({ ...values, page }, context), values.after),
      ),
    /** Of all that lies beneath a folder, however deep; the handler gives the names behind `after`, as `scanNames` does. */
    scan: <
      const Path extends string,
      P extends Params & Record<PathNames<Path>, Kind<unknown>>,
      A extends Access = 'policy',
    >(
      path: Path,
      spec: ListSpec<P, PathNames<Path>, A, R>,
      handler: (values: Values<P> & { readonly after: string }, context: As<R, A>) => Names,
    ): Endpoint<W> => lists('scan', path, spec, (values, context) => handler(values, context)),
  };
}

/**
 * Forgets the types of a declaration. The casts are sound: `values` are made by these very `params`, and a context of
 * kind W is at least what the handler was declared with; `access` decides at run time what it says here.
 */
function forget<W, P extends Params>(
  verb: Verb,
  path: string,
  // biome-ignore lint/suspicious/noExplicitAny: the types are known to the callers above and forgotten here
  spec: Spec<P, any, Access, any, any> & { readonly entries?: readonly string[] },
  // biome-ignore lint/suspicious/noExplicitAny: as above
  handler: (values: any, context: any) => Awaitable<Answer>,
): Endpoint<W> {
  return {
    verb,
    path,
    summary: spec.summary,
    description: spec.description,
    params: spec.params,
    answer: spec.answer ?? {},
    access: spec.access ?? 'policy',
    sudo: spec.sudo ?? false,
    shape: spec.shape ?? 'envelope',
    deadToken: spec.deadToken,
    entries: spec.entries ?? [],
    headers: spec.headers ?? [],
    exists: spec.exists as Endpoint<W>['exists'],
    prepare: spec.prepare as Endpoint<W>['prepare'],
    login: spec.login,
    run: handler,
  };
}

/** The words for engines and auth methods. */
export const { read, list, scan, write, patch, remove } = verbs<Context, WriteContext>();
