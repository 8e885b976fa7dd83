import type { Barrier } from '../barrier/index.ts';
import type { Engines } from '../framework/engine.ts';
import { Foresight } from './foresight.ts';
import { Jobs } from './jobs.ts';
import type { LeaseDefaults } from './mount-table.ts';
import { State } from './state.ts';

/** What an operator has to know; never a secret. */
export interface Log {
  info(sentence: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void;
  error(sentence: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Settings that requests depend on. */
export interface ServiceSettings {
  readonly version: string;
  readonly clusterName: string;
  readonly leases: LeaseDefaults;
  /** What lets `init` be called from elsewhere than this machine. */
  readonly setupToken?: string | undefined;
}

/** One running server: what requests are handled with. */
export class Service {
  readonly barrier: Barrier;
  readonly engines: Engines;
  readonly settings: ServiceSettings;
  readonly state: State;
  readonly foresight: Foresight = new Foresight();
  /** What goes on after the requests that caused it; started and stopped by the server. */
  readonly jobs: Jobs;
  readonly log: Log;

  constructor(barrier: Barrier, engines: Engines, settings: ServiceSettings, log: Log) {
    this.barrier = barrier;
    this.engines = engines;
    this.settings = settings;
    this.state = new State(settings.leases);
    this.log = log;
    this.jobs = new Jobs(this);
  }

  /** Throws the keys away and all that was made with them, in all processes of the server. */
  async seal(): Promise<void> {
    try {
      await this.barrier.seal();
    } finally {
      this.state.forget();
      this.foresight.forget();
    }
  }

  /** The same in this process alone. */
  async shut(): Promise<void> {
    try {
      await this.barrier.shut();
    } finally {
      this.state.forget();
      this.foresight.forget();
    }
  }
}
