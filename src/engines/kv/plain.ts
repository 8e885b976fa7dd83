import { decodeRecord, encodeRecord } from '../../framework/record.ts';

/** What an unversioned mount keeps of a secret besides its data. */
interface PlainHead {
  /** Of this write; under version 2 of the engine it is that of the secret's life, whose first version this is. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly written: number;
  /** Whole seconds after which it should be read again, where its data says so. */
  readonly ttl?: number;
}

/**
 * A secret of an unversioned mount, one record with its data inside. It lies where version 2 of the engine keeps its
 * record of a secret, which reads it as a secret of one version: so a mount is upgraded without touching any secret.
 */
export interface PlainSecret extends PlainHead {
  /** UTF-8 of the JSON object as it arrived. */
  readonly data: Buffer;
}

/** The first byte; that of a record of version 2 is a brace. */
const MARK = Buffer.of(1);
const LINE_FEED = Buffer.from('\n');

export const isPlain = (record: Buffer): boolean => record[0] === MARK[0];

/** The mark, the head as JSON, which holds no line feed, a line feed, the data. */
export const encodePlain = ({ data, ...head }: PlainSecret): Buffer =>
  Buffer.concat([MARK, encodeRecord(head), LINE_FEED, data]);

export function decodePlain(record: Buffer): PlainSecret {
  const end = record.indexOf(LINE_FEED);
  return { ...decodeRecord<PlainHead>(record.subarray(MARK.length, end)), data: record.subarray(end + 1) };
}
