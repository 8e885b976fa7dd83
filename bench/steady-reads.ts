import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../test/faults/client.ts';
import type { ServerNode } from '../test/histories/nodes/server-node.ts';

/** Of a secret, in a second. */
const READS = 200;

/**
 * Reads of `secret/read` at an even pace, whatever the server does.
 * @returns milliseconds that each took, from when it was due
 */
export async function readsOf(node: ServerNode, until: () => boolean): Promise<readonly number[]> {
  const taken: number[] = [];
  const under: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; !until(); n++) {
    const due = began + (n * 1_000) / READS;
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    under.push(
      node.send({ method: 'GET', path: 'secret/data/read', token: ROOT }).then(({ status }) => {
        if (status !== 200) throw new Error(`a read of a secret: ${status}`);
        taken.push(performance.now() - due);
      }),
    );
  }
  await Promise.all(under);
  return taken;
}
