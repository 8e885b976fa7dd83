import type { Duplex } from 'node:stream';
import type { HttpReply } from './message.ts';
import { bodiless, type Persistence, type ReplyHeads } from './reply.ts';

/** A longer body goes out piece by piece, so that a client that reads slowly is told from one that reads nothing. */
const PIECE_BYTES = 256 * 1024;

/**
 * Sends an answer with one write. False, with nothing written, when its body is too long for that or of unknown length.
 * Throws when the handler's status or headers cannot be sent.
 */
export function sendInOne(
  socket: Duplex,
  heads: ReplyHeads,
  reply: HttpReply,
  headOnly: boolean,
  persistence: Persistence,
): boolean {
  const body = bodiless(reply.status) ? '' : (reply.body ?? '');
  if (typeof body === 'string') {
    const length = Buffer.byteLength(body);
    if (length > PIECE_BYTES && !headOnly) return false;
    const head = heads.head(reply, length, persistence);
    if (headOnly) socket.write(head, 'latin1');
    else socket.write(head + body, length === body.length ? 'latin1' : 'utf8');
    return true;
  }
  if (Buffer.isBuffer(body)) {
    if (body.length > PIECE_BYTES && !headOnly) return false;
    const head = heads.head(reply, body.length, persistence);
    if (headOnly) socket.write(head, 'latin1');
    else socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
    return true;
  }
  if (!headOnly) return false;
  socket.write(heads.head(reply, 'chunked', persistence), 'latin1');
  return true;
}

/**
 * Sends an answer piece by piece, each when the client has taken the one before; `waiting` is told when that wait begins
 * and ends. Answers whether the connection may stay. Rejects when the body fails: the connection must then be cut.
 */
export async function sendInPieces(
  socket: Duplex,
  heads: ReplyHeads,
  reply: HttpReply,
  version: { readonly minor: 0 | 1; readonly persistence: Persistence },
  waiting: (waits: boolean) => void,
): Promise<boolean> {
  const write = async (piece: string | Buffer): Promise<void> => {
    if (socket.write(piece) || socket.destroyed) return;
    waiting(true);
    await drained(socket);
    waiting(false);
  };
  const body = reply.body ?? '';
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    socket.write(heads.head(reply, bytes.length, version.persistence), 'latin1');
    for (let at = 0; at < bytes.length && !socket.destroyed; at += PIECE_BYTES) {
      await write(bytes.subarray(at, at + PIECE_BYTES));
    }
    return true;
  }
  const chunked = version.minor === 1;
  const head = chunked
    ? heads.head(reply, 'chunked', version.persistence)
    : heads.head(reply, 'to-end', 'Connection: close\r\n');
  socket.write(head, 'latin1');
  for await (const text of body) {
    if (socket.destroyed) break;
    if (text === '') continue;
    await write(chunked ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text);
  }
  if (chunked && !socket.destroyed) await write('0\r\n\r\n');
  return chunked;
}

/** About what a body that is sent piece by piece takes in memory until its client has it, whatever its length. */
const PIECES_HELD_BYTES = 16 * PIECE_BYTES;

/** Bytes that an answer is counted as while its client takes it. */
export const sizeOf = ({ body = '' }: HttpReply): number =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body.length : PIECES_HELD_BYTES;

/** Lets go of a body that is not sent. */
export function discard({ body }: HttpReply): void {
  if (typeof body === 'object' && !Buffer.isBuffer(body)) body.close?.();
}

function drained(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      socket.off('drain', settle);
      socket.off('close', settle);
      resolve();
    };
    socket.on('drain', settle);
    socket.on('close', settle);
  });
}
