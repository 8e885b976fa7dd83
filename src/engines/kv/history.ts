/** One version of a secret but for its data. Times are milliseconds since 1970. */
export interface Version {
  readonly created: number;
  /** The version is deleted from then on, so a time to come is a schedule. */
  readonly deletion?: number;
  readonly destroyed?: true;
}

// created 6 bytes ‖ deletion 6 bytes ‖ flags 1 byte, numbers little-endian: six bytes reach beyond the year 10,000.
const TIME_BYTES = 6;
const FLAGS_AT = 2 * TIME_BYTES;
const WIDTH = FLAGS_AT + 1;
const DESTROYED = 1;
const HAS_DELETION = 2;

/**
 * The versions that are kept of a secret, oldest first. They stay the bytes they are stored as, since there may be a
 * hundred thousand: a write copies these without looking at them. Never changed: a change makes another one.
 */
export class History {
  static readonly none: History = new History(Buffer.alloc(0));
  readonly #bytes: Buffer;

  /** @param bytes as `bytes` gave them; nobody changes them any more */
  constructor(bytes: Buffer) {
    if (bytes.length % WIDTH !== 0) throw new Error('a history is a number of whole versions');
    this.#bytes = bytes;
  }

  /** As it is stored. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#bytes.length / WIDTH;
  }

  /** The version at an index from 0, the oldest; undefined where there is none. */
  at(index: number): Version | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.length) return undefined;
    const offset = index * WIDTH;
    const flags = this.#bytes.readUInt8(offset + FLAGS_AT);
    return {
      created: this.#bytes.readUIntLE(offset, TIME_BYTES),
      ...(flags & HAS_DELETION ? { deletion: this.#bytes.readUIntLE(offset + TIME_BYTES, TIME_BYTES) } : {}),
      ...(flags & DESTROYED ? { destroyed: true } : {}),
    };
  }

  /** With one more version, the latest, and without the `dropped` oldest of those there were before. */
  append(version: Version, dropped: number): History {
    const rest = this.#bytes.subarray(dropped * WIDTH);
    const bytes = Buffer.allocUnsafe(rest.length + WIDTH);
    bytes.set(rest);
    writeVersion(bytes, rest.length, version);
    return new History(bytes);
  }

  /** With other versions at these indices, which exist. */
  replace(changes: ReadonlyMap<number, Version>): History {
    const bytes = Buffer.from(this.#bytes);
    for (const [index, version] of changes) writeVersion(bytes, index * WIDTH, version);
    return new History(bytes);
  }
}

function writeVersion(bytes: Buffer, offset: number, { created, deletion, destroyed }: Version): void {
  bytes.writeUIntLE(created, offset, TIME_BYTES);
  bytes.writeUIntLE(deletion ?? 0, offset + TIME_BYTES, TIME_BYTES);
  bytes.writeUInt8((destroyed ? DESTROYED : 0) | (deletion === undefined ? 0 : HAS_DELETION), offset + FLAGS_AT);
}
