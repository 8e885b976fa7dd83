/** The header fields of a request. Names are looked up in lower case; values are latin1 text without outer blanks. */
export interface Headers {
  /** The value of the field; several lines are joined by ", " (RFC 9110 §5.3). */
  get(lowerCaseName: string): string | undefined;
  /** The value of each line of the field, in order; empty when there is none. */
  lines(lowerCaseName: string): readonly string[];
}

export interface HttpRequest {
  /** As sent: 1–32 token characters (RFC 9110 §5.6.2). */
  readonly method: string;
  /** As sent: origin-form, beginning with "/", only the characters of RFC 3986; escapes are not looked at. */
  readonly target: string;
  readonly headers: Headers;
  /** Whole, decoded from chunked; not to be changed. */
  readonly body: Buffer;
  /** Remote address: IPv4-mapped IPv6 as IPv4, without a zone. */
  readonly peer: string;
  /** Whether the connection is TLS. */
  readonly secure: boolean;
}

/** A body that is made while it is sent. `close` is called instead where it is not sent at all. */
export interface Pieces extends AsyncIterable<string> {
  close?(): void;
}

export interface HttpReply {
  /** 200–599. */
  readonly status: number;
  /** Beyond the standard ones; a standard one named here is replaced. Values are visible ASCII and blanks. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Default: application/json. */
  readonly contentType?: string;
  /**
   * None: Content-Length 0 (204, 304: no length). An iterable is sent chunked under back-pressure; if it throws, the
   * connection is cut without the last chunk.
   */
  readonly body?: string | Buffer | Pieces;
}

export type Handler = (request: HttpRequest) => Promise<HttpReply>;
