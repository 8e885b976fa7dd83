import { methods } from '../auth/index.ts';
import { tokenEndpoints } from '../auth/token/index.ts';
import { engines } from '../engines/index.ts';
import type { Access, Params, Shape, Verb } from '../framework/endpoint.ts';
import type { Engine, Options, Variant } from '../framework/engine.ts';
import { ServiceError } from '../framework/errors.ts';
import type { Schema } from '../framework/kinds/index.ts';
import { identityEndpoints } from '../identity/index.ts';
import { statusEndpoints, systemEndpoints } from '../sys/index.ts';

/** What the reference tells of an endpoint, whichever context its handler gets. */
export interface Documented {
  readonly verb: Verb;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly params: Params;
  readonly answer: Readonly<Record<string, Schema>>;
  /** `status`: outside the transaction, without a token, also while the server is sealed. */
  readonly access: Access | 'status';
  readonly sudo: boolean;
  readonly shape: Shape;
  /** Whether a write tells what exists from what does not. */
  readonly tellsNew: boolean;
}

/** Endpoints that share the beginning of their addresses. */
export interface Section {
  readonly title: string;
  readonly about: string;
  /** What stands between `/v1/` and the paths; ends in `/`. */
  readonly prefix: string;
  readonly endpoints: readonly Documented[];
}

type Declared = Omit<Documented, 'tellsNew'> & { readonly exists: unknown };

const documented = ({ exists, ...endpoint }: Declared): Documented => ({
  ...endpoint,
  tellsNew: exists !== undefined,
});

/** All that this version serves, in the order of the reference: within a section by address. */
export function sections(): readonly Section[] {
  const all: readonly Section[] = [
    {
      title: 'State of the server',
      about: 'They take no token, and they answer while the server is sealed.',
      prefix: 'sys/',
      endpoints: statusEndpoints.map((endpoint) => ({
        ...endpoint,
        description: undefined,
        access: 'status',
        sudo: false,
        shape: 'bare',
        tellsNew: false,
      })),
    },
    {
      title: 'System',
      about: 'Mounts, policies, the seal and the keys.',
      prefix: 'sys/',
      endpoints: systemEndpoints.map(documented),
    },
    {
      title: 'Tokens',
      about: 'The auth method `token`, which is always there.',
      prefix: 'auth/token/',
      endpoints: tokenEndpoints.map(documented),
    },
    {
      title: 'Identity',
      about: 'Entities, what they are called at mounts, and the groups they are in.',
      prefix: 'identity/',
      endpoints: identityEndpoints.map(documented),
    },
    ...[...methods, ...engines].flatMap(variantsOf),
  ];
  return all.map((section) => ({ ...section, endpoints: section.endpoints.toSorted(byAddress) }));
}

const ORDER: readonly Verb[] = ['read', 'list', 'scan', 'write', 'patch', 'remove'];

function byAddress(a: Documented, b: Documented): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return ORDER.indexOf(a.verb) - ORDER.indexOf(b.verb);
}

/** What an engine serves under any of the options it knows: those of its plain type, and of each alias. */
function variantsOf(engine: Engine): readonly Section[] {
  if (engine.builtIn) return [builtIn(engine)];
  const found = new Map<Variant, string>();
  const names: readonly (readonly [string, Options])[] = [[engine.type, new Map()], ...(engine.aliases ?? [])];
  for (const [name, options] of names) {
    const variant = variantOf(engine, options);
    if (variant !== undefined && !found.has(variant)) found.set(variant, name);
  }
  return [...found].map(([{ endpoints }, name]) => ({
    title: `${engine.kind === 'auth' ? 'Auth method' : 'Secrets engine'} ${name}`,
    about: `${engine.summary}. \`:mount\` is the path it is ${engine.kind === 'auth' ? 'enabled' : 'mounted'} at.`,
    prefix: engine.kind === 'auth' ? 'auth/:mount/' : ':mount/',
    endpoints: endpoints.map(documented),
  }));
}

const builtIn = ({ type, summary, variant }: Engine): Section => ({
  title: `Secrets engine ${type}`,
  about: `${summary}. It is mounted at \`${type}/\` from the first start, and nowhere else.`,
  prefix: `${type}/`,
  endpoints: variant(new Map()).endpoints.map(documented),
});

/** Undefined where the options are none of the engine's: a type may have to be told which of its versions is meant. */
function variantOf(engine: Engine, options: Options): Variant | undefined {
  try {
    return engine.variant(options);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
