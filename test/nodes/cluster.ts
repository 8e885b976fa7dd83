import { Client } from 'pg';
import { at } from '../faults/client.ts';
import { Node, type NodeOptions } from './node.ts';

/** Nodes that share one schema of a database, initialised once, each unsealed; `secret/` is a mount of KV. */
export class Cluster {
  readonly nodes: readonly Node[];
  readonly #all: Node[];
  readonly #options: NodeOptions;
  readonly #unsealKey: string;
  readonly root: string;

  private constructor(nodes: readonly Node[], options: NodeOptions, unsealKey: string, root: string) {
    this.nodes = nodes;
    this.#all = [...nodes];
    this.#options = options;
    this.#unsealKey = unsealKey;
    this.root = root;
  }

  static async start(count: number, options: NodeOptions): Promise<Cluster> {
    const nodes = await Promise.all(Array.from({ length: count }, () => Node.start(options)));
    const [first] = nodes;
    if (first === undefined) throw new Error('a cluster has nodes');
    const made = await first.expect(200, 'PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 });
    const unsealKey = String(at(made, 'keys_base64', '0'));
    const cluster = new Cluster(nodes, options, unsealKey, String(at(made, 'root_token')));
    await Promise.all(nodes.map((node) => cluster.unseal(node)));
    await first.expect(204, 'POST', 'sys/mounts/secret', { type: 'kv-v2' });
    return cluster;
  }

  /** The nodes it was started with, each by its place. */
  node(place: number): Node {
    const node = this.nodes[place];
    if (node === undefined) throw new Error(`there is no node ${place}`);
    return node;
  }

  /** One more node, unsealed. */
  async join(options: Partial<NodeOptions> = {}): Promise<Node> {
    const node = await Node.start({ ...this.#options, ...options });
    this.#all.push(node);
    await this.unseal(node);
    return node;
  }

  async unseal(node: Node): Promise<void> {
    node.token = this.root;
    await node.expect(200, 'PUT', 'sys/unseal', { key: this.#unsealKey });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((node) => node.end()));
  }
}

/** The rows of a statement, made as the database's own administrator would. */
export async function query(url: string, text: string, values: readonly unknown[] = []): Promise<readonly unknown[][]> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}
