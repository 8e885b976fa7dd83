import type { Verb } from '../framework/endpoint.ts';
import { badRequest, methodNotAllowed } from '../framework/errors.ts';
import type { Headers, HttpRequest } from '../http/message.ts';
import { parseForm, parseTarget } from './path.ts';

/** A request as the rest of the server sees it: nothing here has been looked up or permitted yet. */
export interface Call {
  readonly verb: Verb;
  /** The method has no verb of its own (HEAD, OPTIONS): it is decided as a read, then refused. */
  readonly mute: boolean;
  /** Canonical, without `/v1/`. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  readonly token: string | undefined;
  /** Names another namespace than the root; none is offered. */
  readonly foreignNamespace: boolean;
  readonly request: HttpRequest;
}

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['GET', 'read'],
  ['LIST', 'list'],
  ['SCAN', 'scan'],
  ['POST', 'write'],
  ['PUT', 'write'],
  ['PATCH', 'patch'],
  ['DELETE', 'remove'],
  ['HEAD', 'read'],
  ['OPTIONS', 'read'],
]);

const NO_QUERY: ReadonlyMap<string, string> = new Map();

/**
 * Reads what every request has, by 4-open-points "Conventions". Throws 405 for a method that the service does not know,
 * before all else; 400 or 307 for a path that is not canonical; 400 for headers that contradict each other.
 */
export function readCall(request: HttpRequest): Call {
  const { method, target, headers } = request;
  const verb = VERBS.get(method);
  if (verb === undefined) throw methodNotAllowed();
  const { path, query: text } = parseTarget(target);
  const query = text === '' ? NO_QUERY : parseForm('query', text);
  return {
    verb: method === 'GET' && query.size > 0 ? verbOfGet(query) : verb,
    mute: method === 'HEAD' || method === 'OPTIONS',
    path,
    query,
    token: readToken(headers),
    foreignNamespace: isForeign(readHeader(headers, NAMESPACE) ?? ''),
    request,
  };
}

/** A header under the name of this service and under the family's; lower case, as headers are looked up. */
export type HeaderNames = readonly [own: string, family: string];

export const TOKEN: HeaderNames = ['x-service-token', 'x-vault-token'];
export const NAMESPACE: HeaderNames = ['x-service-namespace', 'x-vault-namespace'];
export const WRAP_TTL: HeaderNames = ['x-service-wrap-ttl', 'x-vault-wrap-ttl'];

/** A header under either name. Two lines of one name are refused even when equal, both names unless they are equal. */
export function readHeader(headers: Headers, [ownName, familyName]: HeaderNames): string | undefined {
  const own = single(headers, ownName);
  const family = single(headers, familyName);
  if (own !== undefined && family !== undefined && own !== family) {
    throw badRequest(`${ownName} and ${familyName} differ: send one of them`);
  }
  return own ?? family;
}

/** The token of the request: its own header, else a Bearer. A header that is empty counts as none. */
function readToken(headers: Headers): string | undefined {
  const token = readHeader(headers, TOKEN);
  const authorization = single(headers, 'authorization');
  if (token !== undefined && token !== '') return token;
  // Spaces alone separate (RFC 9110 §11.1): other blanks of Unicode would be second spellings of a token.
  return /^bearer +([^ ].*)$/i.exec(authorization ?? '')?.[1];
}

function single(headers: Headers, name: string): string | undefined {
  const lines = headers.lines(name);
  if (lines.length > 1) throw badRequest(`${name}: send this header once`);
  return lines[0];
}

const isForeign = (namespace: string): boolean =>
  namespace !== '' && namespace !== '/' && namespace !== 'root' && namespace !== 'root/';

/** `GET …?list=true` and `?scan=true` stand for the methods of these names, which not every client can send. */
function verbOfGet(query: ReadonlyMap<string, string>): Verb {
  const list = isTrue(query, 'list');
  const scan = isTrue(query, 'scan');
  if (list && scan) throw badRequest('list, scan: only one of the two can be true');
  if (list) return 'list';
  return scan ? 'scan' : 'read';
}

function isTrue(query: ReadonlyMap<string, string>, name: string): boolean {
  const text = query.get(name) ?? '';
  if (['1', 't', 'T', 'true', 'True', 'TRUE'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'False', 'FALSE', ''].includes(text)) return false;
  throw badRequest(`${name}: must be true or false`);
}
