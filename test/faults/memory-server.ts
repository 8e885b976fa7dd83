import { Barrier } from '../../src/barrier/index.ts';
import { writeFirstState } from '../../src/core/first-state.ts';
import { handle } from '../../src/core/handle.ts';
import { Service } from '../../src/core/service.ts';
import { headersOf } from '../../src/core/testing.ts';
import { engines } from '../../src/engines/index.ts';
import { Engines } from '../../src/framework/engine.ts';
import { ServiceError } from '../../src/framework/errors.ts';
import { memoryStore } from '../../src/storage/memory.ts';
import { type Call, type Client, type Reply, ROOT } from './client.ts';

const TRIES = 10;

/** A whole server over a store in memory some of whose commits fail, and the client of it. */
export class MemoryServer implements Client {
  /** Commits that failed. */
  failures = 0;
  readonly #service: Service;

  /** @param fails whether the commit of this number, from 1, fails */
  constructor(fails: (commit: number) => boolean) {
    const store = memoryStore({
      beforeCommit: (commit) => {
        if (!fails(commit)) return;
        this.failures++;
        throw new Error('the disk failed');
      },
    });
    const silent = (): void => {};
    this.#service = new Service(
      new Barrier(store),
      new Engines(engines),
      { version: '0.0.0', clusterName: 'faults', leases: { defaultTtl: 3_600, maxTtl: 7_200_000 } },
      { info: silent, warn: silent, error: silent },
    );
  }

  /** Initialises, unseals and mounts `secret/`, each again where a commit failed. */
  async open(): Promise<void> {
    const { barrier } = this.#service;
    const { keys } = await again(() => barrier.init({ shares: 1, threshold: 1 }, (tx) => writeFirstState(tx, ROOT)));
    await again(() => barrier.submit(Buffer.from(keys[0] ?? '')));
    const body = { type: 'kv', options: { version: '2' } };
    await again(async () => {
      const { status } = await this.send({ method: 'POST', path: 'sys/mounts/secret', body });
      if (status !== 204) throw new ServiceError(status, ['not mounted']);
    });
  }

  async send({ method, path, body, token = ROOT, contentType = 'application/json' }: Call): Promise<Reply> {
    const reply = await handle(this.#service, {
      method,
      target: `/v1/${path}`,
      headers: headersOf([
        ['x-service-token', token],
        ['content-type', contentType],
      ]),
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      peer: '127.0.0.1',
      secure: false,
    });
    const text = await textOf(reply.body);
    return { status: reply.status, json: text === '' ? undefined : JSON.parse(text) };
  }
}

/** Tries until no commit fails: 503 is the only answer that such a failure may have. */
async function again<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ServiceError && error.status === 503 && tries < TRIES)) throw error;
    }
  }
}

async function textOf(body: string | Buffer | AsyncIterable<string> | undefined): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? '';
  if (Buffer.isBuffer(body)) return body.toString();
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}
