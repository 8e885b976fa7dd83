import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { path, text } from '../config/kinds.ts';
import { optional, setting, type Values } from '../config/settings.ts';
import { Failure, reasonOf, usageFailure } from '../failure.ts';
import { printable } from '../printable.ts';

/** How a command finds its server. */
export const CLIENT_SETTINGS = {
  address: setting(text(2048), 'http://127.0.0.1:8200', 'address of the server; also KEYHOLD_ADDR', {
    variable: 'KEYHOLD_ADDR',
  }),
  cacert: optional(path, 'PEM file of the authorities that an https server is trusted by; also KEYHOLD_CACERT'),
  token: optional(text(4096), 'the token to call with', { secret: true }),
};

export type ClientSettings = Values<typeof CLIENT_SETTINGS>;

/** The members of an answer. */
export type Answer = ReadonlyMap<string, unknown>;

const TIMEOUT_MILLIS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

interface Call {
  readonly method: 'GET' | 'PUT';
  /** Behind `/v1/`. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Calls the server's API. A `Failure` where it cannot be reached, or refuses: with its own sentence then. */
export async function call(settings: ClientSettings, { method, path: target, body }: Call): Promise<Answer> {
  const base = baseOf(settings.address);
  const { status, content } = await exchange(settings, base, method, `/v1/${target}`, body);
  const answer = membersOf(content);
  if (status >= 200 && status < 300) {
    if (answer === undefined) throw new Failure(`${base.origin} does not answer as a Keyhold server does`);
    return answer;
  }
  const errors = answer?.get('errors');
  const sentences = Array.isArray(errors) ? errors.map((error) => printable(String(error).slice(0, 1_000))) : [];
  throw new Failure(`the server at ${base.origin} answered ${status}${sentences.map((s) => `: ${s}`).join('')}`);
}

function baseOf(address: string): URL {
  const base = URL.canParse(address) ? new URL(address) : undefined;
  const plain = base?.pathname === '/' && base.search === '' && base.hash === '' && base.username === '';
  if (base === undefined || !plain || !['http:', 'https:'].includes(base.protocol)) {
    throw usageFailure('address: must be http:// or https:// with a host and a port, such as http://127.0.0.1:8200');
  }
  return base;
}

interface Received {
  readonly status: number;
  readonly content: string;
}

function exchange(
  { cacert, token }: ClientSettings,
  base: URL,
  method: string,
  target: string,
  body: unknown,
): Promise<Received> {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const options = {
    method,
    headers: {
      'X-Service-Request': 'true',
      ...(token === undefined ? {} : { 'X-Service-Token': token }),
      ...(payload === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
    },
    signal: AbortSignal.timeout(TIMEOUT_MILLIS),
    ...(cacert === undefined ? {} : { ca: authorities(cacert) }),
  };
  const url = new URL(target, base);
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(new Failure(`${base.origin} cannot be reached: ${whyNot(error)}`));
    const sent = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) sent.destroy(new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`));
      });
      response.on('error', refuse);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, content: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', refuse);
    sent.end(payload);
  });
}

function whyNot(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return `no answer within ${TIMEOUT_MILLIS / 1000} seconds`;
  // Several addresses of one name were tried.
  if (error instanceof AggregateError && error.errors.length > 0) return whyNot(error.errors[0]);
  return printable(reasonOf(error));
}

function authorities(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw usageFailure(`cacert: the file ${file} cannot be read: ${reasonOf(error)}`);
  }
}

/** The members of a JSON object, none for an empty body; undefined where it is no object. */
function membersOf(content: string): Answer | undefined {
  if (content === '') return new Map();
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}
