/**
 * The one error type whose text may be shown to a caller. Anything else that is thrown reaches the client as a plain
 * 500 with the request id, and the log in full. The statuses are those of "4-open-points: Conventions".
 */
export class ServiceError extends Error {
  readonly status: number;
  /** What `errors` holds in the answer: empty for a plain miss (404). */
  readonly errors: readonly string[];
  /** Headers that belong to the answer, such as `Retry-After` or `Location`. */
  readonly headers: readonly (readonly [string, string])[];

  constructor(status: number, errors: readonly string[], headers: readonly (readonly [string, string])[] = []) {
    super(errors.join('; '));
    this.name = 'ServiceError';
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

/** 307: the same request belongs at another path, relative to this server. */
export const redirect = (location: string): ServiceError =>
  new ServiceError(307, ['the path is not canonical: see Location'], [['Location', location]]);

/** 400: the caller's mistake. The sentence names the field, what was wrong and what would be right. */
export const badRequest = (sentence: string): ServiceError => new ServiceError(400, [sentence]);

/**
 * 400 of a login whose name and secret do not go together: one sentence, whichever of the two is wrong (known-attacks
 * H1). The lockout of the mount counts it.
 */
export class InvalidCredentials extends ServiceError {
  /** Whether there is such a user or role. It is shown to nobody. */
  readonly known: boolean;

  constructor(sentence: string, known: boolean) {
    super(400, [sentence]);
    this.known = known;
  }
}

/** 403: no, invalid or expired token, or not permitted. One text for all, so that it tells nothing else. */
export const permissionDenied = (): ServiceError => new ServiceError(403, ['permission denied']);

/** 404 of a read or list that found nothing: an empty list of errors. */
export const notFound = (): ServiceError => new ServiceError(404, []);

/** 404 of a path that no endpoint serves. */
export const noHandler = (): ServiceError => new ServiceError(404, ['no handler for route: check the path']);

/** 405: the path exists, the method does not. */
export const methodNotAllowed = (): ServiceError => new ServiceError(405, ['this path does not support this method']);

/** 413: a body over the limit. */
export const tooLarge = (sentence: string): ServiceError => new ServiceError(413, [sentence]);

/** 415: a PATCH with another content type than the endpoint takes. */
export const unsupportedMediaType = (sentence: string): ServiceError => new ServiceError(415, [sentence]);

/** 503: sealed, or the store is away; `retryAfter` in seconds. */
export const unavailable = (sentence: string, retryAfter?: number): ServiceError =>
  new ServiceError(503, [sentence], retryAfter === undefined ? [] : [['Retry-After', String(retryAfter)]]);
