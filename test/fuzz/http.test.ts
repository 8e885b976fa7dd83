// Mutated requests, cut at random points, go to our front and to Node's own parser. Ours must answer or close, never
// with a 500; what both accept they must understand alike. FUZZ_SEED repeats a run, FUZZ_SECONDS lengthens it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { type HttpRequest, type Listener, listen } from '../../src/http/listener.ts';
import { answersIn, dial, received } from '../http/wire.ts';

const { FUZZ_SEED, FUZZ_SECONDS } = process.env;
const seed = Number(FUZZ_SEED ?? Date.now() % 1_000_000_007);
const seconds = Number(FUZZ_SECONDS ?? 2);
const LANES = 4;

/** What a server understood of one request. */
interface Understood {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, readonly string[]])[];
  readonly body: string;
}

type Random = (below: number) => number;

/** Mulberry32: small, seedable, good enough to choose test cases. */
function randomFrom(start: number): Random {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const pick = (random: Random, choices: readonly string[]): string => choices[random(choices.length)] ?? '';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'PURGE', 'LIST', 'get'];
const TARGETS = ['/', '/v1/a', '/v1/a?b=c', '/v1/%2e%2e/x', '//a', '/a;b=c', '/[x]', '/\\', 'http://h/a', '*', '/é'];
const LINES = [
  'A: b',
  'A:b',
  'A: \t b \t ',
  'A:',
  'Accept: text/html,\t x',
  'X-Latin: \xe9\xff',
  'Connection: keep-alive',
  'Connection: close',
  'Expect: 100-continue',
  'Host: other',
  'Content-Length: 3',
  'Content-Length: +3',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip',
  ' folded',
  'A : b',
];
const SPLICES = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '\0',
  ':',
  ',',
  ';',
  '0',
  'f',
  '\r\n\r\n',
  '0\r\n\r\n',
  'chunked',
  '\x7f',
  '\x80',
];

/** A request; a sound one is within the RFCs and our limits, so it must be accepted. */
function oneRequest(random: Random, sound: boolean): string {
  const lines = ['Host: h'];
  for (let i = random(4); i > 0; i--)
    lines.splice(random(lines.length + 1), 0, pick(random, LINES.slice(0, sound || random(6) ? 7 : LINES.length)));
  let body = '';
  const size = random(40);
  const data = Array.from({ length: size }, () => String.fromCharCode(random(256))).join('');
  const kind = random(3);
  if (kind === 1) {
    lines.push(`Content-Length: ${size}`);
    body = data;
  } else if (kind === 2) {
    lines.push('Transfer-Encoding: chunked');
    for (let at = 0; at < size; ) {
      const part = data.slice(at, at + 1 + random(20));
      const hex = part.length.toString(16);
      body += `${random(2) ? hex : hex.toUpperCase().padStart(1 + random(5), '0')}\r\n${part}\r\n`;
      at += part.length;
    }
    body += '0\r\n\r\n';
  }
  const version = sound || random(20) ? 'HTTP/1.1' : pick(random, ['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1']);
  const usual = sound || random(8) > 0;
  const method = pick(random, usual ? METHODS.slice(0, 5) : METHODS);
  const before = random(10) ? '' : '\r\n';
  return `${before}${method} ${pick(random, usual ? TARGETS.slice(0, 6) : TARGETS)} ${version}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function mutate(random: Random, text: string): string {
  const at = random(text.length);
  const to = at + random(4);
  switch (random(5)) {
    case 0:
      return text.slice(0, at) + pick(random, SPLICES) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(to);
    case 2:
      return text.slice(0, at) + String.fromCharCode(random(256)) + text.slice(at + 1);
    case 3:
      return text.slice(0, to) + text.slice(at);
    default:
      return text.slice(0, at);
  }
}

/** One case: the pieces as they are written, and how many requests the front must accept. */
interface Case {
  readonly pieces: readonly Buffer[];
  readonly sound: number;
}

function caseFrom(random: Random): Case {
  const sound = random(3) === 0;
  const requests = Array.from({ length: 1 + random(3) }, () => oneRequest(random, sound));
  let text = requests.join('');
  if (!sound) for (let i = random(3); i > 0; i--) text = mutate(random, text);
  const bytes = Buffer.from(text, 'latin1');
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const stop = at + 1 + random(random(3) ? bytes.length : 12);
    pieces.push(bytes.subarray(at, stop));
    at = stop;
  }
  return { pieces, sound: sound ? requests.length : 0 };
}

async function send(address: string, pieces: readonly Buffer[]): Promise<string> {
  const socket = await dial(address);
  const all = received(socket, 4000);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
  return await all;
}

/** Our front and Node's parser side by side, each noting what it understood. */
class Lane {
  readonly ours: HttpRequest[];
  readonly theirs: Understood[] = [];
  readonly #front: Listener;
  readonly #node = createServer({ requireHostHeader: true }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => {});
    request.on('end', () => {
      // Node hands out trailers too; ours refuses them, so there is nothing to compare.
      const names = [...new Set(request.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()))];
      const values = (name: string): string[] =>
        request.rawHeaders.filter((_, i) => i % 2 === 1 && request.rawHeaders[i - 1]?.toLowerCase() === name);
      this.theirs.push({
        method: request.method ?? '',
        target: request.url ?? '',
        headers: names.map((name) => [name, values(name)] as const),
        body: Buffer.concat(pieces).toString('latin1'),
      });
      response.end();
    });
  });

  static async open(): Promise<Lane> {
    const requests: HttpRequest[] = [];
    const handler = async (request: HttpRequest) => {
      requests.push(request);
      return { status: 200 };
    };
    const lane = new Lane(
      await listen({ host: '127.0.0.1', port: 0, handler, limits: { lingerMillis: 200 } }),
      requests,
    );
    await new Promise<void>((resolve) => lane.#node.listen(0, '127.0.0.1', resolve));
    return lane;
  }

  constructor(front: Listener, ours: HttpRequest[]) {
    this.#front = front;
    this.ours = ours;
    this.#node.on('clientError', (_error, socket) => socket.destroy());
  }

  /** How many requests both understood, after checking that they understood them alike. */
  async compare({ pieces, sound }: Case): Promise<number> {
    this.ours.length = 0;
    this.theirs.length = 0;
    const bound = this.#node.address();
    assert.ok(bound !== null && typeof bound !== 'string');
    const [text] = await Promise.all([send(this.#front.address, pieces), send(`127.0.0.1:${bound.port}`, pieces)]);
    const answers = answersIn(text).filter(({ status }) => status !== 100);
    assert.ok(!answers.some(({ status }) => status >= 500 && status !== 505), 'no failure of our own');
    const accepted = answers.filter(({ status }) => status === 200).length;
    assert.equal(accepted, this.ours.length, 'each request that was handled is answered');
    assert.ok(
      answers.length - accepted <= 1 && answers.slice(0, accepted).every(({ status }) => status === 200),
      'a refusal is the end',
    );
    assert.ok(accepted >= sound, 'a sound request is accepted');
    const both = Math.min(this.ours.length, this.theirs.length);
    for (let i = 0; i < both; i++) {
      const [ours, theirs] = [this.ours[i], this.theirs[i]];
      assert.ok(ours !== undefined && theirs !== undefined);
      const headers = theirs.headers.map(([name]) => [name, ours.headers.lines(name)] as const);
      assert.deepEqual(
        { method: ours.method, target: ours.target, headers, body: ours.body.toString('latin1') },
        theirs,
      );
    }
    return both;
  }

  async close(): Promise<void> {
    this.#node.closeAllConnections();
    await Promise.all([this.#front.stop(0), new Promise((resolve) => this.#node.close(resolve))]);
  }
}

test(`our front and Node's parser agree on what both accept (FUZZ_SEED=${seed})`, async (context) => {
  const until = performance.now() + seconds * 1000;
  let cases = 0;
  let compared = 0;
  const run = async (laneNumber: number): Promise<void> => {
    const lane = await Lane.open();
    try {
      for (let i = laneNumber; performance.now() < until; i += LANES) {
        const tried = caseFrom(randomFrom(seed + i * 7919));
        try {
          const both = await lane.compare(tried);
          compared += both;
        } catch (error) {
          const sent = JSON.stringify(tried.pieces.map((piece) => piece.toString('latin1')));
          throw new Error(`FUZZ_SEED=${seed}, case ${i}: ${sent}`, { cause: error });
        }
        cases++;
      }
    } finally {
      await lane.close();
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, laneNumber) => run(laneNumber)));
  context.diagnostic(`${cases} cases, ${compared} requests understood alike`);
  assert.ok(compared > cases / 3, 'enough of the cases reach both handlers');
});
