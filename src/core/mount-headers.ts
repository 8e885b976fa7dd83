import type { Answer } from '../framework/answer.ts';
import { badRequest } from '../framework/errors.ts';
import type { Headers } from '../http/message.ts';
import { isOfTheFront } from '../http/reply.ts';
import { NAMESPACE, TOKEN, WRAP_TTL } from './call.ts';
import type { MountConfig } from './mount-table.ts';
import type { Route } from './route.ts';

/** What of the headers of requests and answers passes between a client and a mount; names in lower case. */
export interface HeaderRules {
  readonly request: ReadonlySet<string>;
  readonly response: ReadonlySet<string>;
}

/** RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Headers that carry a credential of this server, or a wish to it: no engine ever sees them (known-attacks B17). */
const OWN: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'x-service-mfa', 'x-vault-mfa'],
  ...TOKEN,
  ...NAMESPACE,
  ...WRAP_TTL,
]);

/** 400 for what is no name of a header, or of one that no engine sees. */
export function refusePassing(field: string, name: string): void {
  refuseBadName(field, name);
  if (OWN.has(name.toLowerCase())) {
    throw badRequest(`${field}: must not hold a header that is for this server itself, such as Authorization`);
  }
}

/** 400 for what is no name of a header, or of one that the server sets itself (known-attacks G9). */
export function refuseSetting(field: string, name: string): void {
  refuseBadName(field, name);
  if (isOfTheFront(name.toLowerCase())) {
    throw badRequest(`${field}: must not hold a header that the server sets itself, such as Content-Type`);
  }
}

function refuseBadName(field: string, name: string): void {
  if (!HEADER_NAME.test(name)) throw badRequest(`${field}: each element must be the name of a header`);
}

/** What a mount's settings let pass. What must not pass is left out here too, whatever is stored. */
export const headerRules = (config: MountConfig): HeaderRules => ({
  request: lowered(config.passthroughRequestHeaders, (name) => !OWN.has(name)),
  response: lowered(config.allowedResponseHeaders, (name) => !isOfTheFront(name)),
});

const lowered = (names: readonly string[] = [], may: (name: string) => boolean): ReadonlySet<string> =>
  new Set(names.map((name) => name.toLowerCase()).filter(may));

export const NO_HEADERS: ReadonlyMap<string, string> = new Map();

type EngineRoute = Extract<Route, { kind: 'engine' }>;

/** The headers of a request that its endpoint asks for and its mount hands on. */
export function passedHeaders({ match, headers: rules }: EngineRoute, headers: Headers): ReadonlyMap<string, string> {
  const wanted = match.endpoint.headers;
  if (wanted.length === 0) return NO_HEADERS;
  const passed = new Map<string, string>();
  for (const name of wanted) {
    const value = rules.request.has(name) ? headers.get(name) : undefined;
    if (value !== undefined) passed.set(name, value);
  }
  return passed;
}

/** An answer with those of its headers that its mount may set; the system's own answers set what they want. */
export function withPermittedHeaders(route: Route, answer: Answer): Answer {
  const { headers } = answer;
  if (headers === undefined || route.kind === 'system') return answer;
  return { ...answer, headers: headers.filter(([name]) => route.headers.response.has(name.toLowerCase())) };
}
