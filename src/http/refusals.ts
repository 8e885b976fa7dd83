import { badRequest, ServiceError, tooLarge, unavailable } from '../framework/errors.ts';

/** 400: the bytes are not HTTP/1.1 as RFC 9112 has it, or use a part of it that lets two readers disagree. */
export const malformed = (sentence: string): ServiceError => badRequest(sentence);

/** 408 (RFC 9110 §15.5.9): the request did not arrive in time. */
export const tooSlow = (): ServiceError => new ServiceError(408, ['the request did not arrive in time']);

/** 413: declared or decoded, the body is over the limit. */
export const bodyTooLarge = (limit: number): ServiceError => tooLarge(`the body is larger than ${limit} bytes`);

/** 414 (RFC 9110 §15.5.15). */
export const targetTooLong = (limit: number): ServiceError =>
  new ServiceError(414, [`the request target is longer than ${limit} bytes`]);

/** 417 (RFC 9110 §10.1.1). */
export const unknownExpectation = (): ServiceError =>
  new ServiceError(417, ['the Expect header asks for something else than 100-continue']);

/** 431 (RFC 6585 §5). */
export const headTooLarge = (sentence: string): ServiceError => new ServiceError(431, [sentence]);

/** 503: too many bytes of requests are held at once. */
export const noRoom = (): ServiceError => unavailable('the server holds too many unfinished requests; try again', 1);

/** 503: too many connections are open. */
export const noConnection = (): ServiceError => unavailable('the server has too many connections; try again', 1);

/** 505 (RFC 9110 §15.6.6). */
export const wrongVersion = (): ServiceError => new ServiceError(505, ['the protocol is not HTTP/1.1 or HTTP/1.0']);

/** 500: our own fault, about which the client learns nothing. */
export const internal = (): ServiceError => new ServiceError(500, ['internal error']);
