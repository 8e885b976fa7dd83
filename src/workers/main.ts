import { Socket } from 'node:net';
import { limitsOf, partOf } from '../config.ts';
import { handle } from '../core/handle.ts';
import { storeFolder } from '../data-folder.ts';
import { EXIT } from '../failure.ts';
import { endAtOnce, endOnFault } from '../fault.ts';
import { type Receiver, receive } from '../http/listener.ts';
import { createLog } from '../log.ts';
import { type Node, startNode } from '../node.ts';
import { tlsOf } from '../tls-files.ts';
import { Channel } from './channel.ts';
import { type Envelope, EnvelopeHalf } from './envelope.ts';
import { CONNECTION, type StartOrder, type SupervisorCalls, type WorkerCalls } from './protocol.ts';
import { RemoteUnsealing } from './remote-unsealing.ts';

/** The process of one worker: a whole node, whose connections its supervisor hands to it. */

interface Running {
  readonly node: Node;
  readonly receiver: Receiver;
  readonly unsealing: RemoteUnsealing;
}

let envelope: Envelope | undefined;
let running: Promise<Running> | undefined;
let serving: Running | undefined;

const calls: WorkerCalls = {
  greet(other) {
    const half = new EnvelopeHalf();
    envelope = half.with(other);
    return half.open;
  },

  async start(order) {
    running = run(order, greeted());
    serving = await running;
    const { node } = serving;
    const { initialized, sealed } = await node.service.barrier.status();
    return { initialized, sealed, development: node.development };
  },

  async open(wrapped) {
    const rootKey = greeted().unwrap(wrapped);
    const { node } = await started();
    try {
      await node.service.barrier.open(rootKey);
    } finally {
      rootKey.fill(0);
    }
  },

  async shut() {
    const { node, unsealing } = await started();
    unsealing.shuts += 1;
    await node.service.shut();
  },

  // Not waited for while it starts: a store that is away is no reason to end it.
  load: () => serving?.receiver.connections() ?? 0,

  async stop({ graceMillis, idleMillis }) {
    if (running !== undefined) {
      const { node, receiver } = await running;
      await receiver.stop(graceMillis, idleMillis);
      await node.stop();
    }
    process.exit(EXIT.ok);
  },
};

const supervisor = new Channel<SupervisorCalls>(process, calls);

async function run({ config, logFormat, first, rootKey }: StartOrder, envelope: Envelope): Promise<Running> {
  const log = createLog({ level: config.logLevel, format: logFormat, write: (text) => process.stderr.write(text) });
  endOnFault(log, endAtOnce);
  const key = rootKey && envelope.unwrap(rootKey);
  try {
    const tls = tlsOf(config);
    const unsealing = new RemoteUnsealing(supervisor, envelope);
    const folder = storeFolder(config.data);
    const node = await startNode(config, { folder, log, unsealing, opens: first, rootKey: key });
    const limits = partOf(limitsOf(config), config.workers);
    const receiver = receive({ handler: (request) => handle(node.service, request), limits, tls });
    return { node, receiver, unsealing };
  } finally {
    key?.fill(0);
  }
}

function greeted(): Envelope {
  if (envelope === undefined) throw new Error('the supervisor has not greeted this process');
  return envelope;
}

function started(): Promise<Running> {
  if (running === undefined) throw new Error('this process has not been told to start');
  return running;
}

process.on('message', (message: unknown, socket: unknown) => {
  // Handed only once this worker has started.
  if (message === CONNECTION && socket instanceof Socket) serving?.receiver.take(socket);
});

// A reader of the log that went away is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// A terminal, and some service managers, signal every process of the server; only the supervisor acts on it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// Without a supervisor nobody would hand it connections, keep its share of the seal, or end it.
process.on('disconnect', endAtOnce);
process.umask(0o077);
