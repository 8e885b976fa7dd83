import { request } from 'node:http';
import { posix } from 'node:path';

/** For tests: a client that puts requests on the wire as the family's Go library does, which its command line uses. */

/** What the library makes of an answer that has a body; `json` as it came. */
export interface Secret {
  readonly status: number;
  readonly json: unknown;
}

/** An answer that the library gives back as an error. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, errors: string) {
    super(`${status}: ${errors}`);
    this.status = status;
  }
}

/** A member of an answer by the names that lead to it; undefined where there is none. */
export function at(json: unknown, ...names: readonly string[]): unknown {
  let value = json;
  for (const name of names) value = new Map<string, unknown>(Object.entries(value ?? {})).get(name);
  return value;
}

/** As `at`, for a member that must be a text. */
export function textAt(json: unknown, ...names: readonly string[]): string {
  const value = at(json, ...names);
  if (typeof value !== 'string') throw new Error(`${names.join('.')}: no text`);
  return value;
}

const CALL_MILLIS = 20_000;

/** `token` goes out under the family's older header; without one there is none. */
export class FamilyClient {
  readonly #url: URL;
  readonly #token: string | undefined;

  constructor(url: string, token?: string) {
    this.#url = new URL(url);
    this.#token = token;
  }

  /** The same server with another token. */
  as(token: string): FamilyClient {
    return new FamilyClient(this.#url.href, token);
  }

  read(path: string, query: Readonly<Record<string, string>> = {}): Promise<Secret | undefined> {
    return this.#miss(this.call('GET', path, undefined, query));
  }

  /** The library lists by GET. */
  list(path: string): Promise<Secret | undefined> {
    return this.#miss(this.call('GET', path, undefined, { list: 'true' }));
  }

  write(path: string, body: unknown): Promise<Secret | undefined> {
    return this.call('PUT', path, body);
  }

  patch(path: string, body: unknown): Promise<Secret | undefined> {
    return this.call('PATCH', path, body, {}, { 'Content-Type': 'application/merge-patch+json' });
  }

  remove(path: string): Promise<Secret | undefined> {
    return this.#miss(this.call('DELETE', path));
  }

  /** Undefined for an answer without a body. Rejects with a `Refusal` for a status of 400 or more. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    query: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Secret | undefined> {
    // It joins paths, so slashes at the end and doubled ones never reach the wire.
    const joined = encodeURI(posix.join('/v1', path).replace(/\/$/, '')).replace(/[?#]/g, encodeURIComponent);
    const search = new URLSearchParams(query).toString();
    const { status, text } = await this.#send(method, search === '' ? joined : `${joined}?${search}`, body, headers);
    const json: unknown = text.trim() === '' ? undefined : JSON.parse(text);
    if (status >= 400) {
      const told = [at(json, 'data'), at(json, 'warnings')].some((member) => Object.keys(Object(member)).length > 0);
      if (status === 404 && told) return { status, json };
      throw new Refusal(status, JSON.stringify(at(json, 'errors')));
    }
    return json === undefined ? undefined : { status, json };
  }

  /** Nothing there is no error to the library. */
  async #miss(call: Promise<Secret | undefined>): Promise<Secret | undefined> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    }
  }

  #send(
    method: string,
    target: string,
    body: unknown,
    more: Readonly<Record<string, string>>,
  ): Promise<{ status: number; text: string }> {
    const headers = {
      'User-Agent': 'Go-http-client/1.1',
      'Accept-Encoding': 'gzip',
      'X-Vault-Request': 'true',
      ...(this.#token === undefined ? {} : { 'X-Vault-Token': this.#token }),
      ...more,
    };
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#url;
      const sent = request({ hostname, port, method, path: target, headers, timeout: CALL_MILLIS }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        incoming.on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('error', reject);
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      if (bytes !== undefined) sent.setHeader('Content-Length', bytes.length);
      sent.end(bytes);
    });
  }
}
