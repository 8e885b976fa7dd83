import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../faults/random.ts';
import { type Done, inflict, schedule } from './faults.ts';
import type { StoreKind } from './nodes/ground.ts';
import type { Cluster, Node } from './nodes/node.ts';
import { type ServerCluster, serverCluster } from './nodes/server-cluster.ts';
import { storeCluster } from './nodes/store-cluster.ts';
import { countedUses, family, policy, secrets } from './subjects/requests.ts';
import { transactions } from './subjects/transactions.ts';
import { type Finding, type Tally, Ticks, type Track, track } from './track.ts';

export type Level = 'http' | 'store';

/** One run of load and faults, and what came of it. */
export interface Run {
  readonly seed: number;
  readonly tally: Readonly<Tally>;
  readonly faults: readonly Done[];
  readonly findings: readonly Finding[];
}

/** A cluster that lives for many runs. */
export interface Bench {
  run(seed: number, loadMillis: number): Promise<Run>;
  stop(): Promise<void>;
}

/** @param program the folder of the compiled program that the nodes run */
export async function openBench(program: string, level: Level, store: StoreKind): Promise<Bench> {
  if (level === 'store') {
    const cluster = await storeCluster(program, store);
    return benchOf(cluster, false, async (name, ticks) => [track(transactions(name), ticks)]);
  }
  const cluster = await serverCluster(program, store);
  return benchOf(cluster, true, (name, ticks) => requestTracks(cluster, name, ticks));
}

async function requestTracks({ root, nodes }: ServerCluster, name: string, ticks: Ticks) {
  const place = (suffix: string) => ({ root, name: `${name}-${suffix}` });
  const restricted = place('policy');
  const body = { id: restricted.name, policies: [restricted.name], no_parent: true };
  const reply = await nodes[0]?.send({ method: 'POST', path: 'auth/token/create', body, token: root });
  if (reply?.status !== 200) throw new Error(`a token could not be made: ${reply?.status}`);
  return [
    track(secrets(place('folder')), ticks),
    track(policy(restricted), ticks),
    track(family(place('family')), ticks),
    track(countedUses(place('uses')), ticks),
  ];
}

const CLIENTS = 15;
/** Answers without which a history says little, and how long they are waited for at most. */
const LEAST_ANSWERS = 100;
const MOST_LOAD_MILLIS = 30_000;
const CHECK_MILLIS = 30_000;

function benchOf<T, N extends Node & T>(
  cluster: Cluster<N>,
  cutsClients: boolean,
  makeTracks: (name: string, ticks: Ticks) => Promise<readonly Track<T>[]>,
): Bench {
  let runs = 0;
  return {
    stop: () => cluster.stop(),
    async run(seed, loadMillis) {
      runs += 1;
      const random = new Random(seed);
      const ticks = new Ticks();
      const tracks = await makeTracks(`r${runs}`, ticks);
      const faults = schedule(random.fork(0), cluster, cutsClients, loadMillis);
      const sum = (of: keyof Tally): number => tracks.reduce((total, { tally }) => total + tally[of], 0);
      const began = performance.now();
      /** A machine that is slow takes longer. */
      const over = (): boolean => {
        const millis = performance.now() - began;
        return millis > MOST_LOAD_MILLIS || (millis > loadMillis && sum('answered') >= LEAST_ANSWERS);
      };
      const [done] = await Promise.all([
        inflict(cluster, faults, ticks),
        ...Array.from({ length: CLIENTS }, (_, i) => work(cluster.nodes, tracks, i, random.fork(i + 1), over)),
      ]);
      for (const one of tracks) {
        for (const [place, node] of cluster.nodes.entries()) await one.look(node, place);
      }
      const findings = tracks.flatMap((one) => one.check(CHECK_MILLIS) ?? []);
      const tally = { answered: sum('answered'), unknown: sum('unknown'), refused: sum('refused') };
      return { seed, tally, faults: done, findings };
    },
  };
}

/** One client: uses all of the objects. */
async function work<N>(
  nodes: readonly N[],
  tracks: readonly Track<N>[],
  client: number,
  random: Random,
  over: () => boolean,
) {
  // It stays with one node as long as that answers: so a paused node has some of the clients waiting, not all.
  for (let place = client % nodes.length; !over(); ) {
    const node = nodes[place];
    if (node === undefined) throw new Error('there is no such node');
    const kind = await random.pick(tracks).step(client, node, place, random);
    if (kind !== 'answered') place = random.below(nodes.length);
    await pause(kind === 'answered' ? random.below(6) : 50);
  }
}
