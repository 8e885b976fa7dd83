/**
 * Records of our own: JSON, sealed by the barrier.
 *
 * What is decoded here was encoded here: the barrier has authenticated it together with its key, and the keys of one
 * kind hold one type. So the cast, which this file alone has, hides no doubt.
 */
export const decodeRecord = <T>(plain: Buffer): T => JSON.parse(plain.toString('utf8')) as T;

export const encodeRecord = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'utf8');
