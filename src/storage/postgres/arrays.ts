/**
 * Arrays in PostgreSQL's binary form (array_recv): dimensions, nulls, element type, length, lower bound; then each
 * element with its length. Bytes travel as they are, where the text form would double them.
 */

/** Object ids of the element types, from PostgreSQL's catalogue. */
const TYPES = { bytea: 17, int8: 20, int4: 23 } as const;

const NULL = -1;
const HEAD_BYTES = 20;

/** `bytea[]`; undefined stands for null. */
export function byteArrays(elements: readonly (Buffer | undefined)[]): Buffer {
  const size = elements.reduce((sum, element) => sum + 4 + (element?.length ?? 0), HEAD_BYTES);
  return array(TYPES.bytea, elements.length, size, (bytes) => {
    let at = HEAD_BYTES;
    for (const element of elements) {
      at = bytes.writeInt32BE(element?.length ?? NULL, at);
      if (element !== undefined) at += element.copy(bytes, at);
    }
  });
}

/** `integer[]`. */
export function integers(elements: readonly number[]): Buffer {
  return array(TYPES.int4, elements.length, HEAD_BYTES + elements.length * 8, (bytes) => {
    elements.forEach((element, i) => {
      bytes.writeInt32BE(4, HEAD_BYTES + i * 8);
      bytes.writeInt32BE(element, HEAD_BYTES + i * 8 + 4);
    });
  });
}

/** `bigint[]`, of safe integers. */
export function bigIntegers(elements: readonly number[]): Buffer {
  return array(TYPES.int8, elements.length, HEAD_BYTES + elements.length * 12, (bytes) => {
    elements.forEach((element, i) => {
      bytes.writeInt32BE(8, HEAD_BYTES + i * 12);
      bytes.writeBigInt64BE(BigInt(element), HEAD_BYTES + i * 12 + 4);
    });
  });
}

function array(type: number, length: number, size: number, fill: (bytes: Buffer) => void): Buffer {
  // An array without elements has no dimension.
  const bytes = Buffer.alloc(length === 0 ? 12 : size);
  bytes.writeInt32BE(length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(1, 4);
  bytes.writeInt32BE(type, 8);
  if (length === 0) return bytes;
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
  fill(bytes);
  return bytes;
}
