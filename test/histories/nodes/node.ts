import { setTimeout as pause } from 'node:timers/promises';
import type { Wire } from './wire.ts';

/** One process of those that share a store. */
export interface Node {
  /** Starts the process and waits until it serves. */
  start(): Promise<void>;
  /** SIGKILL, and waits for the end. What was asked of it and not answered is unknown from then on. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Cuts the connections of its clients, where it has any. */
  cutClients(): void;
  /** What stands between it and its database, where it has one. */
  readonly wire: Wire | undefined;
}

/** Nodes that share one store, and how to hurt the store itself. */
export interface Cluster<N extends Node> {
  readonly nodes: readonly N[];
  readonly database: Database | undefined;
  /** What the nodes are parts of, where they are: a server of several workers. */
  readonly whole: Node | undefined;
  stop(): Promise<void>;
}

export interface Database {
  /** Ends connections of nodes at random, from within (`pg_terminate_backend`). */
  terminate(): Promise<void>;
  /** Ends as a crash would (immediate mode), and starts again. */
  restart(): Promise<void>;
}

const PATIENCE_MILLIS = 30_000;

/** Tries again and again, as whatever watches over a server would: what it needs may be away meanwhile. */
export async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MILLIS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > until) throw error;
      await pause(50);
    }
  }
}

/** Sends a signal; a process that has ended meanwhile needs none. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
