import { Agent, request } from 'node:http';

/** One request of the API; `path` is relative to `/v1/`. As root where no token is named. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly contentType?: string;
  /** Asks for a wrapped answer. */
  readonly wrapTtl?: string;
}

export interface Reply {
  readonly status: number;
  readonly json: unknown;
}

export interface Client {
  /** Rejects where no whole answer came: whether the request was carried out is unknown then. */
  send(call: Call): Promise<Reply>;
}

/** The root token of the servers that are tried. */
export const ROOT = 'root-of-the-faults';

/** A client over kept connections that never repeats a request by itself. */
export class HttpClient implements Client {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  send({ method, path, body, token = ROOT, contentType = 'application/json', wrapTtl }: Call): Promise<Reply> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const { hostname: host, port } = this.#url;
    const headers = {
      'X-Service-Token': token,
      ...(wrapTtl === undefined ? {} : { 'X-Service-Wrap-TTL': wrapTtl }),
      ...(bytes === undefined ? {} : { 'Content-Type': contentType, 'Content-Length': bytes.length }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request({ host, port, agent: this.#agent, method, path: `/v1/${path}`, headers }, (incoming) => {
        const pieces: Buffer[] = [];
        incoming.on('data', (piece: Buffer) => pieces.push(piece));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          resolve({ status: incoming.statusCode ?? 0, json: text === '' ? undefined : JSON.parse(text) });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A member of JSON by the names that lead to it; undefined where there is none. */
export function at(json: unknown, ...names: readonly string[]): unknown {
  let value = json;
  for (const name of names) value = new Map<string, unknown>(Object.entries(value ?? {})).get(name);
  return value;
}
