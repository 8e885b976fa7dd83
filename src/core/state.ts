import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { Acl, type AclView, parsePolicy, ROOT_ACL } from '../policies/index.ts';
import { WRAPPING_POLICY } from '../tokens/token.ts';
import { type LeaseDefaults, type MountEntry, MountTable } from './mount-table.ts';

/** Changes whenever a mount or a policy does; everything compiled from these is good for one revision. */
const REVISION = 'core/revision';
const MOUNTS = 'core/mounts';

/** Where the text of a policy is stored. */
export const policyKey = (name: string): string => `policy/${name}`;

/** A stored policy. */
export interface PolicyRecord {
  readonly text: string;
}

/**
 * Characters of the policies whose compiled form is kept, and what a set counts besides them: a token may ask for any set
 * of its own policies, so how many there are is the callers' choice.
 */
const MAX_KEPT_CHARACTERS = 4 * 1024 * 1024;
const ACL_CHARACTERS = 1024;

/** What the policy of wrapping tokens grants: it is built in. That a token may be looked up is for everybody. */
const WRAPPING_ACL = Acl.compile([parsePolicy('path "sys/wrapping/unwrap" { capabilities = ["update"] }')]);

/** What is compiled from one revision: the mounts, and the access lists of the sets of policies met so far. */
export class Revision {
  readonly raw: Buffer;
  readonly mounts: MountTable;
  readonly #acls = new Map<string, AclView>();
  #aclCharacters = 0;

  constructor(raw: Buffer, mounts: MountTable) {
    this.raw = raw;
    this.mounts = mounts;
  }

  /** The access list of a set of policies; a policy that does not exist grants nothing. */
  async acl(tx: SealedTransaction, names: readonly string[]): Promise<AclView> {
    if (names.includes('root')) return ROOT_ACL;
    if (names.includes(WRAPPING_POLICY)) return WRAPPING_ACL;
    const set = names.join('\n');
    const known = this.#acls.get(set);
    if (known !== undefined) return known;
    const records = await tx.getMany(names.map(policyKey));
    const texts = records.flatMap((record) => (record === undefined ? [] : [decodeRecord<PolicyRecord>(record).text]));
    const acl = Acl.compile(texts.map(parsePolicy));
    this.#keep(
      set,
      acl,
      texts.reduce((sum, { length }) => sum + length, set.length + ACL_CHARACTERS),
    );
    return acl;
  }

  #keep(set: string, acl: AclView, characters: number): void {
    // Requests that compiled the same set at once each come by: it is kept, and counted, once.
    if (this.#acls.has(set)) return;
    if (this.#aclCharacters + characters > MAX_KEPT_CHARACTERS) {
      this.#acls.clear();
      this.#aclCharacters = 0;
    }
    this.#acls.set(set, acl);
    this.#aclCharacters += characters;
  }
}

/**
 * The mounts and policies as compiled at the revision that is current. A request reads the revision in its own
 * transaction, so no node honours an old policy or mount, not one request later.
 */
export class State {
  readonly #defaults: LeaseDefaults;
  #current: Revision | undefined;

  constructor(defaults: LeaseDefaults) {
    this.#defaults = defaults;
  }

  async current(tx: SealedTransaction): Promise<Revision> {
    const raw = await tx.version(REVISION);
    if (raw === undefined) throw new Error('the store holds no revision: it was not initialised by this server');
    const known = this.#current;
    if (known?.raw.equals(raw)) return known;
    // The revision's own record says nothing; opening it makes a term known that another node began.
    const [, mounts] = await tx.getMany([REVISION, MOUNTS]);
    const revision = new Revision(raw, new MountTable(decodeMounts(mounts), this.#defaults));
    this.#current = revision;
    return revision;
  }

  /** Forgets all that was compiled, as sealing demands. */
  forget(): void {
    this.#current = undefined;
  }
}

/** The mounts as they are stored. */
export const readMounts = async (tx: SealedTransaction): Promise<readonly MountEntry[]> =>
  decodeMounts(await tx.get(MOUNTS));

const decodeMounts = (record: Buffer | undefined): readonly MountEntry[] =>
  record === undefined ? [] : decodeRecord<readonly MountEntry[]>(record);

/** Replaces the mounts; every node sees them from its next request on. */
export function writeMounts(tx: SealedTransaction, entries: readonly MountEntry[]): void {
  tx.put(MOUNTS, encodeRecord(entries));
  changeRevision(tx);
}

/** Says that a policy or a mount has changed. */
export function changeRevision(tx: SealedTransaction): void {
  tx.put(REVISION, tx.random(16));
}
