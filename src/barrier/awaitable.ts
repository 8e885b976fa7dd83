import type { Awaitable } from '../storage/store.ts';

const isPromiseLike = <T>(value: Awaitable<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** Goes on with a value, at once where it is there already: an embedded store's hot path makes no promise. */
export const andThen = <T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> =>
  isPromiseLike(value) ? value.then(next) : next(value);
