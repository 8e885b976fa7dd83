import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../faults/random.ts';
import type { Cluster, Node } from './nodes/node.ts';
import type { Ticks } from './track.ts';

const KINDS = {
  kill: 'any',
  'kill the whole': 'parts',
  pause: 'any',
  'pause and kill': 'any',
  'cut clients': 'servers',
  terminate: 'database',
  restart: 'database',
  'cut database': 'database',
  'stall database': 'database',
  'lose answers': 'database',
} as const;

export type FaultKind = keyof typeof KINDS;

/** Those that are of no single node. */
const WHOLE: ReadonlySet<FaultKind> = new Set(['kill the whole', 'restart']);

export interface Fault {
  readonly kind: FaultKind;
  /** Milliseconds since the load began, and how long it lasts where it does. */
  readonly at: number;
  readonly millis: number;
  readonly node: number;
}

/** A fault that was done, by the ticks of its begin and end. */
export interface Done extends Fault {
  readonly begun: number;
  readonly ended: number;
}

/** Three to seven faults within the load, fixed by what is random. */
export function schedule<N extends Node>(
  random: Random,
  { nodes, database, whole }: Cluster<N>,
  clients: boolean,
  load: number,
): readonly Fault[] {
  const there = { any: true, servers: clients, database: database !== undefined, parts: whole !== undefined };
  const kinds = (Object.keys(KINDS) as FaultKind[]).filter((kind) => there[KINDS[kind]]);
  return Array.from({ length: 3 + random.below(5) }, () => ({
    kind: random.pick(kinds),
    at: random.below(load * 0.9),
    // Most of them short; some longer than a statement may take; none longer than the whole.
    millis: Math.min(load, random.once(4) ? 900 + random.below(2_100) : 50 + random.below(500)),
    node: random.below(nodes.length),
  })).sort((a, b) => a.at - b.at);
}

/** Does the faults at their times; what happens to one node, or to the database, happens one after the other. */
export async function inflict<N extends Node>(
  cluster: Cluster<N>,
  faults: readonly Fault[],
  ticks: Ticks,
): Promise<readonly Done[]> {
  const began = performance.now();
  const busy = new Map<string, Promise<void>>();
  const done: Done[] = [];
  await Promise.all(
    faults.map(async (fault) => {
      await pause(Math.max(0, fault.at - (performance.now() - began)));
      const whose = WHOLE.has(fault.kind) ? 'whole' : String(fault.node);
      const turn = (busy.get(whose) ?? Promise.resolve()).then(async () => {
        const begun = ticks.next();
        await inflictOne(cluster, fault);
        done.push({ ...fault, begun, ended: ticks.next() });
      });
      busy.set(whose, turn);
      await turn;
    }),
  );
  return done;
}

async function inflictOne<N extends Node>(
  { nodes, database, whole }: Cluster<N>,
  { kind, millis, node: place }: Fault,
): Promise<void> {
  const node = nodes[place];
  if (node === undefined) throw new Error('there is no such node');
  switch (kind) {
    case 'kill':
      await node.kill();
      return node.start();
    case 'kill the whole':
      await whole?.kill();
      return whole?.start();
    case 'pause':
      node.pause();
      await pause(millis);
      return node.resume();
    case 'pause and kill':
      node.pause();
      await pause(millis);
      await node.kill();
      return node.start();
    case 'cut clients':
      return node.cutClients();
    case 'terminate':
      return database?.terminate();
    case 'restart':
      return database?.restart();
    case 'cut database':
      return node.wire?.cut();
    case 'stall database':
      return node.wire?.stall(millis);
    case 'lose answers':
      return node.wire?.mute(millis);
  }
}
