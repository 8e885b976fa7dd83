import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { HttpClient } from '../test/faults/client.ts';
import { live } from '../test/faults/life.ts';

const MILLIS = 3_000;
const PADDING = 'x'.repeat(900);

/**
 * Counts the syncs (fdatasync, as a tracer sees them) that durable KV writes of 1 KiB take while so many are in flight.
 * Undefined where there is no tracer. `folder` is made by the server.
 */
export async function writesPerSync(
  folder: string,
  inFlight: number,
): Promise<{ readonly writes: number; readonly syncs: number } | undefined> {
  if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0) return undefined;
  const file = `${folder}.trace`;
  const under = ['strace', '--seccomp-bpf', '-f', '-o', file, '-e', 'trace=fdatasync'];
  const life = await live(folder, { under });
  const client = new HttpClient(life.url);
  const syncs = (): number =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('fdatasync(')).length;
  let writes = 0;
  const writeFor = async (millis: number): Promise<void> => {
    const end = performance.now() + millis;
    const writers = Array.from({ length: inFlight }, async (_, i) => {
      for (let n = 0; performance.now() < end; n++) {
        const call = { method: 'POST', path: `secret/data/${i}/${n % 64}`, body: { data: { n, PADDING } } };
        const { status } = await client.send(call);
        if (status !== 200) throw new Error(`a write was answered with ${status}`);
        writes++;
      }
    });
    await Promise.all(writers);
  };
  try {
    await writeFor(MILLIS / 3);
    const [before, already] = [syncs(), writes];
    await writeFor(MILLIS);
    return { writes: writes - already, syncs: syncs() - before };
  } finally {
    client.close();
    await life.end('SIGTERM');
  }
}
