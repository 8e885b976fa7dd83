import type { TokenTerms } from './token-terms.ts';

/** JSON text that goes into an answer as it stands. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What an answer may hold: JSON values, and raw JSON in place of any of them. */
export type Value = string | number | boolean | null | RawJson | readonly Value[] | Data;
export interface Data {
  readonly [name: string]: Value | undefined;
}

/** A token that the answer is to carry; it is made, in the request's own transaction, after the handler. */
export interface Grant {
  readonly type: 'service' | 'batch';
  /** Sorted, without duplicates. */
  readonly policies: readonly string[];
  readonly displayName: string;
  /** Where the token comes from: `auth/token/create`. */
  readonly path: string;
  readonly metadata: ReadonlyMap<string, string>;
  /** Seconds; 0 never expires. */
  readonly ttl: number;
  /** Seconds; 0 is none. */
  readonly explicitMaxTtl: number;
  /** Seconds; 0 is none. */
  readonly period: number;
  readonly renewable: boolean;
  /** 0 is unlimited. */
  readonly numUses: number;
  /** Lives on when the caller's token ends. */
  readonly orphan: boolean;
  /** Blocks of addresses that may use it; empty for all. */
  readonly boundCidrs: readonly string[];
  /** The token role it is made by. */
  readonly role?: string;
  /** The entity it speaks for; where it is absent a child speaks for its parent's. */
  readonly entityId?: string;
  /** A value chosen by a privileged caller; otherwise it is random. */
  readonly id: string | undefined;
}

/**
 * Whom an auth method lets in, and the token that its role or user wants for them. The core finds or makes the entity, refuses
 * one that is disabled and an address that the terms do not allow (403), and makes the token.
 */
export interface Login {
  /** Name of the identity alias at this mount, as the user spelled it: case does not count. */
  readonly alias: string;
  /** Of the alias, replaced with each login. */
  readonly aliasMetadata: ReadonlyMap<string, string>;
  /** Names of the group aliases at this mount that the user belongs to now; absent where the method knows of none. */
  readonly groups?: readonly string[];
  /** The core puts the mount's name before it. */
  readonly displayName: string;
  /** Of the token. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly terms: TokenTerms;
  /** What the method's `renewLogin` is given back: the name of the user or role. */
  readonly renewal: string;
}

/** A lease that the answer is born with: what the engine gave out, until when, and who ends it. */
export interface LeaseGrant {
  /** Last part of the lease's name, unlike any other: made of 16 random bytes or more, 22 to 48 characters of base64url. */
  readonly id: string;
  /** Seconds; 0 for the mount's default. The core keeps it within the mount's maximum and a batch token's own end. */
  readonly ttl: number;
  /** Seconds with all renewals; 0 for the mount's maximum. */
  readonly maxTtl: number;
  readonly renewable: boolean;
  /** What the engine's `leases` is given back; kept sealed. */
  readonly note: string;
}

/** A lease as the envelope of an answer shows it. */
export interface LeaseView {
  /** Its whole name. */
  readonly id: string;
  /** Whole seconds. */
  readonly duration: number;
  readonly renewable: boolean;
}

/** An answer that was made before, to be given as it stood. */
export interface Verbatim {
  readonly status: number;
  /** Absent for JSON. */
  readonly contentType?: string | undefined;
  readonly body: Buffer;
}

/**
 * What a handler answers. Nothing at all, or only `after`, is a 204; with warnings a 200. Errors are thrown.
 */
export interface Answer {
  /** Default 200. */
  readonly status?: number;
  /** Raw where the names of its members are those of users. */
  readonly data?: Data | RawJson;
  /** `lease_duration` of the envelope: whole seconds after which what was read should be read again. Default 0. */
  readonly leaseDuration?: number;
  /** What follows on the `keys` of `data`, where these are too many for one piece. */
  readonly moreKeys?: Pages;
  readonly warnings?: readonly string[];
  /** Sent where the mount's owner lets the engine set them (`allowed_response_headers`); visible ASCII and blanks. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly grant?: Grant;
  /** Of auth methods. */
  readonly login?: Login;
  /** Of secrets engines: fills `lease_id`, `lease_duration` and `renewable`. */
  readonly lease?: LeaseGrant;
  /** The same of a lease that was there before. */
  readonly leased?: LeaseView;
  /** The `auth` member as it is, of a token that was there before. */
  readonly auth?: Data;
  /** A wrapping token that stands in place of the content: `wrap_info` of the envelope. */
  readonly wrapInfo?: Data;
  /** The whole answer: then nothing else of it counts. */
  readonly verbatim?: Verbatim;
}

/** Pages of names that are read while they are sent. Whoever does not read to the end calls `close`. */
export interface Pages extends AsyncIterable<readonly string[]> {
  /** What `key_info` tells of all names, by name, a piece at a time; read once the names have been. */
  readonly info?: AsyncIterable<Data>;
  close(): void;
}

/** Without content: 204. */
export const noContent: Answer = {};

/** JSON text of a value; raw JSON goes in as it stands, `undefined` members are left out. */
export function render(value: Value): string {
  // What holds no raw JSON is left to the runtime, which is several times as fast.
  return holdsRaw(value) ? renderRaw(value) : JSON.stringify(value);
}

function holdsRaw(value: Value | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof RawJson) return true;
  if (Array.isArray(value)) return value.some(holdsRaw);
  for (const name in value) if (holdsRaw((value as Data)[name])) return true;
  return false;
}

function renderRaw(value: Value): string {
  if (value instanceof RawJson) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(render).join()}]`;
  let text = '';
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${render(member)}`;
  }
  return `{${text}}`;
}
