import { Barrier } from '../../src/barrier/index.ts';
import { writeFirstState } from '../../src/core/first-state.ts';
import { handle } from '../../src/core/handle.ts';
import { Service } from '../../src/core/service.ts';
import { requestOf } from '../../src/core/testing.ts';
import { engines } from '../../src/engines/index.ts';
import { Engines } from '../../src/framework/engine.ts';
import type { Store } from '../../src/storage/store.ts';
import { type Call, type Client, type Reply, ROOT } from '../faults/client.ts';

/** A whole server over a store in this process, which counts how often transactions lost a race and ran again. */
export interface InProcess extends Client {
  losses(): number;
  stop(): Promise<void>;
}

export async function inProcess(store: Store): Promise<InProcess> {
  let losses = 0;
  const counting: Store = {
    transact(fn) {
      let runs = 0;
      return store.transact((tx) => {
        runs += 1;
        if (runs > 1) losses += 1;
        return fn(tx);
      });
    },
    close: () => store.close(),
  };
  const silent = (): void => {};
  const service = new Service(
    new Barrier(counting),
    new Engines(engines),
    { version: '0.0.0', clusterName: 'histories', leases: { defaultTtl: 3_600, maxTtl: 7_200_000 } },
    { info: silent, warn: silent, error: silent },
  );
  const { keys } = await service.barrier.init({ shares: 1, threshold: 1 }, (tx) => writeFirstState(tx, ROOT));
  await service.barrier.submit(Buffer.from(keys[0] ?? ''));
  const send = async ({ method, path, body, token = ROOT }: Call): Promise<Reply> => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const reply = await handle(service, requestOf(method, `/v1/${path}`, [['x-service-token', token]], text));
    const answer = reply.body?.toString() ?? '';
    return { status: reply.status, json: answer === '' ? undefined : JSON.parse(answer) };
  };
  await send({ method: 'POST', path: 'sys/mounts/secret', body: { type: 'kv', options: { version: '2' } } });
  return { send, losses: () => losses, stop: () => store.close() };
}
