/** What the layers above may use of the barrier. */

export type { Awaitable } from '../storage/store.ts';
export { Barrier, type BarrierOptions, type SealStatus } from './barrier.ts';
export { CorruptRecord, sealedError } from './errors.ts';
export { checkFormat } from './format.ts';
export type { Initialized } from './init.ts';
export { keyFileSeal } from './keyfile-seal.ts';
export type { Seal, SealRecord, ShareCount } from './seal.ts';
export type { KeyStatus } from './session.ts';
export type { SealedTransaction, SealedWriter } from './transaction.ts';
export { type Progress, Unsealer, type Unsealing } from './unsealer.ts';
