import type { Progress, SealRecord, Unsealing } from '../barrier/index.ts';
import type { Channel } from './channel.ts';
import type { Envelope } from './envelope.ts';
import type { SupervisorCalls } from './protocol.ts';

/** The unsealing of a server of several processes, as one of them sees it: their supervisor keeps it. */
export class RemoteUnsealing implements Unsealing {
  readonly #supervisor: Channel<SupervisorCalls>;
  readonly #envelope: Envelope;
  /** Times that this process was told to shut. */
  shuts = 0;

  constructor(supervisor: Channel<SupervisorCalls>, envelope: Envelope) {
    this.#supervisor = supervisor;
    this.#envelope = envelope;
  }

  async submit(record: SealRecord, share: Buffer): Promise<Buffer | undefined> {
    const wrapped = await this.#supervisor.call('submit', { record, share: this.#envelope.wrap(share) });
    return wrapped === undefined ? undefined : this.#envelope.unwrap(wrapped);
  }

  async reset(): Promise<void> {
    await this.#supervisor.call('reset', undefined);
  }

  progress(): Promise<Progress> {
    return this.#supervisor.call('progress', undefined);
  }

  async opened(rootKey: Buffer): Promise<void> {
    await this.#supervisor.call('opened', { rootKey: this.#envelope.wrap(rootKey), shuts: this.shuts });
  }

  async sealed(): Promise<void> {
    await this.#supervisor.call('sealed', undefined);
  }
}
