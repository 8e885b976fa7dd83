import type { Duplex } from 'node:stream';
import { ServiceError } from '../framework/errors.ts';
import { BodyBuffer, type Budget } from './body.ts';
import { ChunkedDecoder } from './chunked.ts';
import type { Clock } from './clock.ts';
import { CHUNKED, framingOf } from './framing.ts';
import { type Head, HeadReader } from './head.ts';
import { Inbox } from './inbox.ts';
import type { Limits } from './limits.ts';
import type { Handler, HttpReply, HttpRequest } from './message.ts';
import type { Outbox, Sender } from './outbox.ts';
import { internal, malformed, noRoom, tooSlow } from './refusals.ts';
import { errorReply, type Persistence, type ReplyHeads } from './reply.ts';
import { discard, sendInOne, sendInPieces, sizeOf } from './send.ts';

/** What the connections of one listener share. */
export interface Front {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly secure: boolean;
  readonly clock: Clock;
  readonly heads: ReplyHeads;
  readonly budget: Budget;
  /** Long answers that clients have not taken yet. */
  readonly answers: Budget;
  readonly outbox: Outbox;
  /** The listener stops: each connection ends as soon as what it received is answered. */
  draining(): boolean;
  closed(connection: Connection): void;
}

/**
 * idle: nothing of a request is there; sending: an answer goes out in pieces; flushing: it is written, but the client has not
 * taken it; closing: our side is ended, what comes is thrown away.
 */
type Phase = 'idle' | 'head' | 'body' | 'handling' | 'sending' | 'flushing' | 'closing';

const NO_BODY = Buffer.alloc(0);
const HEAD = 'HEAD ';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/**
 * One connection: reads a request, gives it to the handler, sends the answer, reads the next. One at a time, so answers
 * keep their order; what a client pipelines waits unread, in the inbox and then in the kernel.
 */
export class Connection implements Sender {
  readonly #socket: Duplex;
  readonly #front: Front;
  readonly #peer: string;
  readonly #inbox = new Inbox();
  readonly #reader: HeadReader;
  #phase: Phase = 'idle';
  #deadline: number;
  #inARow = 0;
  #paused = false;
  /** The client has ended its side; what it sent before is still answered. */
  #ended = false;
  #head: Head | undefined;
  #keepAlive = true;
  #length = 0;
  #body: BodyBuffer | undefined;
  #chunks: ChunkedDecoder | undefined;
  #bodySince = 0;
  /** Unread bytes counted in the budget. */
  #counted = 0;

  constructor(socket: Duplex, peer: string, front: Front) {
    this.#socket = socket;
    this.#front = front;
    this.#peer = peer;
    this.#reader = new HeadReader(front.limits);
    this.#deadline = front.clock.now + front.limits.idleMillis;
    socket.on('data', (piece: Buffer) => this.#received(piece));
    socket.on('end', () => this.#finished());
    socket.on('drain', () => this.#drained());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#gone());
  }

  /** Acts on a deadline that has passed. */
  tick(now: number): void {
    if (now < this.#deadline) return;
    if (this.#phase === 'head' || this.#phase === 'body') this.refuse(tooSlow());
    else if (this.#phase === 'idle') this.#close();
    else this.cut();
  }

  /** Ends the connection if nothing of a request has arrived; the others end after their answer. */
  drain(): void {
    if (this.#phase === 'idle' && this.#inbox.length === 0) this.#close();
  }

  /** Ends the connection at once. */
  cut(): void {
    this.#socket.destroy();
  }

  /** Answers what the front cannot or will not read, and ends the connection; what follows is never looked at. */
  refuse(error: unknown): void {
    if (this.#phase === 'closing' || this.#socket.destroyed) {
      this.#release();
      return;
    }
    const reply = errorReply(error instanceof ServiceError ? error : internal());
    this.#keepAlive = false;
    sendInOne(this.#socket, this.#front.heads, reply, this.#headOnly(), 'Connection: close\r\n');
    this.#close();
  }

  /** Whether a HEAD is answered, so without a body (RFC 9110 §9.3.2); one refused in its head is told by its first bytes. */
  #headOnly(): boolean {
    if (this.#head !== undefined) return this.#head.method === 'HEAD';
    const { bytes, start, end } = this.#inbox;
    return bytes.toString('latin1', start, Math.min(end, start + HEAD.length)) === HEAD;
  }

  #received(piece: Buffer): void {
    if (this.#phase === 'closing') return;
    this.#inARow = 0;
    this.#inbox.push(piece);
    if (this.#phase === 'handling' || this.#phase === 'sending' || this.#phase === 'flushing') {
      this.#count();
      if (this.#inbox.length >= this.#front.limits.readAheadBytes && !this.#paused) {
        this.#paused = true;
        this.#socket.pause();
      }
      return;
    }
    this.#advance();
  }

  #advance(): void {
    const { clock, limits } = this.#front;
    try {
      if (this.#phase === 'idle') {
        this.#phase = 'head';
        this.#head = undefined;
        this.#deadline = clock.now + limits.headMillis;
      }
      if (this.#phase === 'body' || this.#readHead()) this.#readBody();
    } catch (error) {
      this.refuse(error);
    }
    if (this.#phase !== 'head' && this.#phase !== 'body') return;
    this.#count();
    if (this.#ended) this.refuse(malformed('the request ended before it was whole'));
    else if (this.#front.budget.exceeded) this.refuse(noRoom());
    else this.#listen();
  }

  /** Whether a body is to be read next. */
  #readHead(): boolean {
    const { bytes, start, end } = this.#inbox;
    const after = this.#reader.read(bytes, start, end);
    if (after < 0) return false;
    const head = this.#reader.take(bytes, start, after);
    this.#inbox.readTo(after);
    this.#head = head;
    const { limits, clock, budget } = this.#front;
    const framing = framingOf(head, limits.bodyBytes);
    this.#keepAlive = framing.keepAlive;
    this.#length = framing.length;
    if (framing.length === 0) {
      this.#handle(head, NO_BODY);
      return false;
    }
    if (framing.awaitsContinue && this.#inbox.length === 0) this.#socket.write(CONTINUE, 'latin1');
    this.#phase = 'body';
    this.#bodySince = clock.now;
    this.#deadline = clock.now + limits.bodyMillis;
    this.#body = new BodyBuffer(framing.length === CHUNKED ? limits.bodyBytes : framing.length, budget);
    this.#chunks = framing.length === CHUNKED ? new ChunkedDecoder(this.#body) : undefined;
    return true;
  }

  #readBody(): void {
    const inbox = this.#inbox;
    const { limits, clock } = this.#front;
    const body = this.#body;
    const head = this.#head;
    if (body === undefined || head === undefined || inbox.length === 0) return;
    if (this.#chunks === undefined) {
      const stop = Math.min(inbox.end, inbox.start + this.#length - body.length);
      body.append(inbox.bytes, inbox.start, stop);
      inbox.readTo(stop);
    } else {
      inbox.readTo(this.#chunks.read(inbox.bytes, inbox.start, inbox.end));
    }
    if (this.#chunks === undefined ? body.length < this.#length : !this.#chunks.done) {
      const bySpeed = this.#bodySince + limits.bodyMillis + (body.length * 1000) / limits.bodyBytesPerSecond;
      this.#deadline = Math.min(clock.now + limits.bodyMillis, bySpeed);
      return;
    }
    this.#handle(head, body.finish());
  }

  #handle(head: Head, body: Buffer): void {
    this.#phase = 'handling';
    this.#deadline = Number.POSITIVE_INFINITY;
    const request: HttpRequest = {
      method: head.method,
      target: head.target,
      headers: head.headers,
      body,
      peer: this.#peer,
      secure: this.#front.secure,
    };
    this.#front.handler(request).then(this.#post, this.#fail);
  }

  readonly #fail = (): void => this.refuse(internal());

  readonly #post = (reply: HttpReply): void => this.#front.outbox.add(this, reply);

  /** Sends the answer of the request in hand. */
  send(reply: HttpReply): void {
    const head = this.#head;
    if (head === undefined || this.#socket.destroyed) {
      discard(reply);
      this.#release();
      return;
    }
    if (head.method === 'HEAD') discard(reply);
    const { limits, heads } = this.#front;
    const last = this.#inbox.length === 0 && (this.#ended || this.#front.draining());
    if (last) this.#keepAlive = false;
    try {
      if (sendInOne(this.#socket, heads, reply, head.method === 'HEAD', this.#persistence(head))) {
        this.#sent();
        return;
      }
    } catch {
      this.refuse(internal());
      return;
    }
    const held = sizeOf(reply);
    try {
      this.#front.answers.take(held);
    } catch (error) {
      discard(reply);
      this.refuse(error);
      return;
    }
    this.#phase = 'sending';
    const waiting = (waits: boolean): void => {
      this.#deadline = waits ? this.#front.clock.now + limits.writeMillis : Number.POSITIVE_INFINITY;
    };
    sendInPieces(this.#socket, heads, reply, { minor: head.minor, persistence: this.#persistence(head) }, waiting)
      .finally(() => this.#front.answers.give(held))
      .then(
        (stays) => {
          this.#keepAlive &&= stays;
          this.#sent();
        },
        () => this.cut(),
      );
  }

  #persistence(head: Head): Persistence {
    if (!this.#keepAlive) return 'Connection: close\r\n';
    return head.minor === 0 ? 'Connection: keep-alive\r\n' : '';
  }

  #sent(): void {
    this.#release();
    if (!this.#keepAlive) this.#close();
    else if (this.#socket.writableNeedDrain) {
      this.#phase = 'flushing';
      this.#deadline = this.#front.clock.now + this.#front.limits.writeMillis;
    } else this.#next();
  }

  #drained(): void {
    if (this.#phase === 'flushing') this.#next();
  }

  #next(): void {
    const { clock, limits } = this.#front;
    this.#phase = 'idle';
    this.#head = undefined;
    this.#deadline = clock.now + limits.idleMillis;
    this.#count();
    if (this.#inbox.length === 0) {
      if (this.#ended || this.#front.draining()) this.#close();
      else this.#listen();
    } else if (++this.#inARow < limits.pipelined) {
      this.#advance();
    } else {
      this.#inARow = 0;
      setImmediate(() => {
        if (this.#phase === 'idle' && this.#inbox.length > 0) this.#advance();
      });
    }
  }

  #listen(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket.resume();
  }

  /** Counts what waits unread, so that many half-sent heads leave less room for bodies. */
  #count(): void {
    const change = this.#inbox.length - this.#counted;
    if (change === 0) return;
    this.#counted += change;
    this.#front.budget.add(change);
  }

  #finished(): void {
    this.#ended = true;
    if (this.#phase === 'idle' && this.#inbox.length === 0) this.#close();
    else if (this.#phase === 'head' || this.#phase === 'body') this.#advance();
  }

  #close(): void {
    const { clock, limits } = this.#front;
    this.#phase = 'closing';
    this.#release();
    this.#inbox.clear();
    this.#count();
    this.#deadline = clock.now + (this.#socket.writableLength > 0 ? limits.writeMillis : limits.lingerMillis);
    this.#socket.end();
    this.#listen();
  }

  #gone(): void {
    // A handler still at work keeps its body, so the budget is charged until it is done.
    if (this.#phase !== 'handling') this.#release();
    this.#inbox.clear();
    this.#count();
    this.#front.closed(this);
  }

  #release(): void {
    this.#body?.release();
    this.#body = undefined;
    this.#chunks = undefined;
  }
}
