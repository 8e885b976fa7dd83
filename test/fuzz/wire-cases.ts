// The requests of the fuzzing of the front: sound ones, and ones with faults that readers of HTTP disagree on.

export type Random = (below: number) => number;

/** Mulberry32: small, seedable, good enough to choose test cases. */
export function randomFrom(start: number): Random {
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
const TARGETS = [
  '/',
  '/v1/a',
  '/v1/a?b=c',
  '/v1/%2e%2e/x',
  '//a',
  '/a;b=c',
  '/[x]',
  '/\\',
  '/"',
  '/#',
  'http://h/a',
  '*',
  '/é',
];
const SOUND_LINES = [
  'A: b',
  'A:b',
  'A: \t b \t ',
  'A:',
  'Accept: text/html,\t x',
  'X-Latin: \xe9\xff',
  'Connection: keep-alive',
];
const ODD_LINES = [
  ...[
    'Connection: close',
    'Connection: Close, x',
    'Connection: keep-alive, close',
    'Expect: 100-continue',
    'Expect: y',
  ],
  ...['Host: other', 'Host: a/b', 'Host: a@b', 'Content-Length: 3', 'Content-Length: +3', 'Content-Length: 0x3'],
  ...['Content-Length: 3, 3', 'Content-Length: 1e1', 'Content-Length: -0', 'Content-Length:', 'content-length: 0'],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding:',
  ],
  ...['Transfer-Encoding: chunked, chunked', 'Transfer-Encoding: identity', 'transfer-encoding:\tCHUNKED'],
  ...[' folded', '\tfolded', 'A : b', 'A', ': b', 'A\0: b', 'A: b\0', 'A: \x7f', 'A: b\rC: d', 'A: b\nC: d', 'é: b'],
];
const SPLICES = [
  ...['\r\n', '\n', '\r', ' ', '\t', '\0', ':', ',', ';', '0', 'f', '+', '-', '\r\n\r\n', '0\r\n\r\n', 'chunked'],
  ...['\x7f', '\x80', '\x0b', '\x0c', ';a=b', '\r\n ', '\n\n', '\r\r\n', '\r\nContent-Length: 0', '_'],
];
const SHORT_SPLICES = ['\r\n', '\n', '\r', ' ', '\t', '\0', ':', ';', '"'];
const LONG = 70_000;

const VERSIONS = ['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', 'HTTP/01.1'];
/** What stands where the size of a chunk does; `#` is the size. */
const ODD_SIZES = ['#;a=b', '#;', '# ', ' #', '+#', '-#', '0x#', '10000000#', '1000000000000000#', '#\r', '', '#_'];
const ODD_ENDS = ['\n', '\r', '', '\rx', 'x\r\n', '\r\n\r\n'];
const ODD_TRAILERS = ['X: y\r\n', 'x', '\n', 'Content-Length: 3\r\n', '\r'];
const BEHIND = 'GET /behind HTTP/1.1\r\nHost: h\r\n\r\n';

/** What a request is made of; the body as it stands on the wire. */
interface Parts {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly lines: readonly string[];
  readonly body: string;
}

const textOf = ({ method, target, version, lines, body }: Parts): string =>
  `${method} ${target} ${version}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;

/** A body in chunks, with the faults that are given in its first chunk and behind its last. */
function chunked(random: Random, data: string, [size, end, trailer]: readonly [string, string, string]): string {
  let text = '';
  for (let at = 0; at < data.length; ) {
    const part = data.slice(at, at + 1 + random(data.length > 100 ? data.length : 20));
    const hex = part.length.toString(16);
    const sound = random(2) ? hex : hex.toUpperCase().padStart(1 + random(5), '0');
    text += `${at === 0 ? size.replace('#', sound) : sound}\r\n${part}${at === 0 ? end : '\r\n'}`;
    at += part.length;
  }
  return `${text}0\r\n${trailer}\r\n`;
}

const NO_FAULTS = ['#', '\r\n', ''] as const;

/** A request within the RFCs and our limits, so that it must be accepted. */
function soundParts(random: Random, kind = random(3), faults: readonly [string, string, string] = NO_FAULTS): Parts {
  const lines = ['Host: h'];
  for (let i = random(4); i > 0; i--) lines.splice(random(lines.length + 1), 0, pick(random, SOUND_LINES));
  const size = random(60) === 0 ? LONG + random(LONG) : 1 + random(40);
  const unit = Array.from({ length: Math.min(size, 251) }, () => String.fromCharCode(random(256))).join('');
  const data = unit.repeat(Math.ceil(size / 251)).slice(0, size);
  const framing = ['', `Content-Length: ${size}`, 'Transfer-Encoding: chunked'][kind] ?? '';
  if (framing !== '') lines.splice(random(2) ? lines.length : 1, 0, framing);
  const body = ['', data, kind === 2 ? chunked(random, data, faults) : ''][kind] ?? '';
  const [method, target] = [pick(random, METHODS.slice(0, 5)), pick(random, TARGETS.slice(0, 6))];
  return { method, target, version: 'HTTP/1.1', lines, body };
}

/** Every fault of the lists above, alone in a request with a body of each framing, and a sound request behind it. */
export function* faulty(): Generator<Buffer> {
  const random = randomFrom(1);
  const put = (parts: Parts): Buffer => Buffer.from(textOf(parts) + BEHIND, 'latin1');
  for (const kind of [0, 1, 2]) {
    for (const line of ODD_LINES) {
      const parts = soundParts(random, kind);
      yield put({ ...parts, lines: [line, ...parts.lines] });
      yield put({ ...parts, lines: [...parts.lines, line] });
      yield put({ ...parts, lines: parts.lines.map((sound) => (/^(host|content-l)/i.test(sound) ? line : sound)) });
    }
    for (const target of TARGETS) yield put({ ...soundParts(random, kind), target });
    for (const method of METHODS) yield put({ ...soundParts(random, kind), method });
    for (const version of VERSIONS) yield put({ ...soundParts(random, kind), version });
  }
  for (const size of ODD_SIZES) yield put(soundParts(random, 2, [size, '\r\n', '']));
  for (const end of ODD_ENDS) yield put(soundParts(random, 2, ['#', end, '']));
  for (const trailer of ODD_TRAILERS) yield put(soundParts(random, 2, ['#', '\r\n', trailer]));
  const plain = 'POST /a HTTP/1.1\r\nHost: h\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n';
  for (let at = 0; at < plain.length; at++) {
    for (const splice of SHORT_SPLICES) {
      yield Buffer.from(plain.slice(0, at) + splice + plain.slice(at) + BEHIND, 'latin1');
    }
  }
}

/** A request with one fault. */
function oddParts(random: Random): Parts {
  const parts = soundParts(random);
  switch (random(6)) {
    case 0:
      return { ...parts, target: pick(random, TARGETS) };
    case 1:
      return { ...parts, method: pick(random, METHODS) };
    case 2:
      return { ...parts, version: pick(random, VERSIONS) };
    case 3: {
      const faults = [
        ['#', pick(random, ODD_SIZES)],
        ['\r\n', pick(random, ODD_ENDS)],
        ['', pick(random, ODD_TRAILERS)],
      ];
      const [size = '#', end = '', trailer = ''] = faults.map((choices) => pick(random, choices));
      return soundParts(random, 2, [size, end, trailer]);
    }
    default: {
      const lines = [...parts.lines];
      lines.splice(random(lines.length + 1), 0, pick(random, ODD_LINES));
      return { ...parts, lines };
    }
  }
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

/** One case: its bytes, where they are cut, and how many requests the front must accept at least. */
export interface Case {
  readonly bytes: Buffer;
  readonly cuts: readonly number[];
  readonly sound: number;
}

export function caseFrom(random: Random): Case {
  const sound = random(3) === 0;
  const requests = Array.from({ length: 1 + random(3) }, () =>
    textOf(sound || random(2) ? soundParts(random) : oddParts(random)),
  );
  let text = (random(10) ? '' : '\r\n') + requests.join('');
  if (!sound) for (let i = random(3); i > 0; i--) text = mutate(random, text);
  // What stands behind shows whether a reader took the end of a request for another one's beginning.
  const bytes = Buffer.from(text + (sound || random(2) ? BEHIND : ''), 'latin1');
  const cuts: number[] = [];
  const longest = bytes.length > 2_000 || random(3) ? bytes.length : 12;
  for (let at = 1 + random(longest); at < bytes.length; at += 1 + random(longest)) cuts.push(at);
  return { bytes, cuts, sound: sound ? requests.length + 1 : 0 };
}

/** The bytes in pieces, cut at these places. */
export const cutAt = (bytes: Buffer, cuts: readonly number[]): readonly Buffer[] =>
  [...cuts, bytes.length].map((to, i) => bytes.subarray(cuts[i - 1] ?? 0, to));
