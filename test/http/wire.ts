import { connect, type Socket } from 'node:net';

/** One answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export const dial = (address: string): Promise<Socket> => {
  const at = address.lastIndexOf(':');
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)), noDelay: true }, () => {
      socket.off('error', reject);
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.on('error', reject);
  });
};

/** Everything the server sends until it closes, or until `millis` have passed. */
export function received(socket: Socket, millis = 5000): Promise<string> {
  return new Promise((resolve) => {
    let all = '';
    const timer = setTimeout(() => socket.destroy(), millis);
    socket.on('data', (piece: Buffer) => {
      all += piece.toString('latin1');
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(all);
    });
  });
}

/** Sends bytes as they are, ends, and answers what came back until the server closed. */
export async function exchange(address: string, ...pieces: readonly (string | Buffer)[]): Promise<WireAnswer[]> {
  const socket = await dial(address);
  const all = received(socket);
  for (const piece of pieces) {
    socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
    if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return answersIn(await all);
}

/** The answers in what a server sent; interim ones (1xx) included. */
export function answersIn(text: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = text;
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const head = rest.slice(0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const whole = /^transfer-encoding: chunked/im.test(head) ? rest.length - end : length;
    answers.push({ status: Number(head.slice(9, 12)), head, body: rest.slice(end, end + whole) });
    rest = rest.slice(end + whole);
  }
  return answers;
}
