import { render } from '../framework/answer.ts';
import { permissionDenied, tooLarge, unavailable } from '../framework/errors.ts';
import { type Json, jsonString, members, scanBody } from '../framework/json/index.ts';
import type { HttpReply } from '../http/message.ts';
import { statusEndpoints } from '../sys/index.ts';
import type { StatusEndpoint } from '../sys/status.ts';
import { foreignNamespace } from './authorize.ts';
import type { Call } from './call.ts';
import type { Service } from './service.ts';
import { refuseWrapping } from './wrap.ts';

/** By verb and path: they have no parameters in their paths. */
const ENDPOINTS: ReadonlyMap<string, StatusEndpoint> = new Map(
  statusEndpoints.map((endpoint) => [`${endpoint.verb} sys/${endpoint.path}`, endpoint]),
);

const PATHS: ReadonlySet<string> = new Set(statusEndpoints.map((endpoint) => `sys/${endpoint.path}`));

/** Whether a path tells the state of the server, whatever the method. */
export const isStatusPath = (path: string): boolean => PATHS.has(path);

/**
 * Answers the endpoints that stand outside the transaction: they tell the state of the server, or open it. Anything
 * else is 503 while the server is sealed; where it is open, `undefined` leaves the call to the transaction.
 */
export async function answerStatus(service: Service, call: Call): Promise<HttpReply | undefined> {
  const endpoint = call.request.method === 'OPTIONS' ? undefined : ENDPOINTS.get(`${call.verb} ${call.path}`);
  if (endpoint === undefined || (call.mute && endpoint.path !== 'health')) {
    if (service.barrier.sealed) throw unavailable('the server is sealed');
    return undefined;
  }
  if (call.foreignNamespace) throw call.token === undefined ? permissionDenied() : foreignNamespace();
  // Its answer is secret, and nothing could keep it yet.
  if (call.path === 'sys/init' && call.verb === 'write') refuseWrapping(call);
  const { status = 200, data } = await endpoint.run(parse(endpoint, call), {
    service,
    peer: call.request.peer,
    token: call.token,
  });
  return { status, body: `${render(data)}\n` };
}

/** Bytes of a body here: anybody may send one, and what these endpoints take is short (known-attacks G1). */
const MAX_BODY_BYTES = 64 * 1024;

function parse(endpoint: StatusEndpoint, { query, request }: Call): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (request.body.length > MAX_BODY_BYTES)
    throw tooLarge(`the body of this path is larger than ${MAX_BODY_BYTES} bytes`);
  const body = endpoint.verb === 'write' ? members(scanBody(request.body)) : undefined;
  for (const [name, kind] of Object.entries(endpoint.params)) {
    values[name] = kind.parse(name, body === undefined ? textOf(query.get(name)) : body.get(name));
  }
  return values;
}

const textOf = (text: string | undefined): Json | undefined => (text === undefined ? undefined : jsonString(text));
