import type { SealedTransaction } from '../barrier/index.ts';
import { WRAPPING_POLICY } from '../framework/policy-name.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { Acl, type AclView, type Identity, NO_ACL, parsePolicy, ROOT_ACL, ROOT_POLICY } from '../policies/index.ts';
import type { Standing } from '../tokens/store.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { Cuts, cutsKey, decodeCuts } from './cuts.ts';
import { Kept } from './kept.ts';
import { type LeaseDefaults, type MountEntry, MountTable } from './mount-table.ts';
import { changeRevision, REVISION } from './revision.ts';

export { changeRevision } from './revision.ts';

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
const MAX_KEPT_CHARACTERS = 16 * 1024 * 1024;
const ACL_CHARACTERS = 1024;
/** The same of the rules with templates, for one identity each. */
const MAX_OWN_CHARACTERS = 4 * 1024 * 1024;

/** Policies of one caller, those of its groups among them: all are read in one transaction. Beyond that nothing is permitted. */
export const MAX_POLICIES = 512;

/** What the policy of wrapping tokens grants: it is built in. That a token may be looked up is for everybody. */
export const WRAPPING_TEXT = 'path "sys/wrapping/unwrap" { capabilities = ["update"] }';
const WRAPPING_ACL = Acl.compile([parsePolicy(WRAPPING_TEXT)]);

/** What is compiled from one revision: the mounts, and the access lists of the sets of policies met so far. */
export class Revision implements Standing {
  readonly raw: Buffer;
  readonly mounts: MountTable;
  readonly cuts: Cuts;
  readonly #acls = new Kept<Acl>(MAX_KEPT_CHARACTERS);
  /** For one caller each, with the list they were made of. */
  readonly #own = new Kept<{ readonly of: Acl; readonly acl: Acl }>(MAX_OWN_CHARACTERS);

  constructor(raw: Buffer, mounts: MountTable, cuts: Cuts) {
    this.raw = raw;
    this.mounts = mounts;
    this.cuts = cuts;
  }

  /** Whether the mount that a token came from is still there, and has not ended all that it gave out below a path. */
  stands({ origin, created }: Pick<TokenRecord, 'origin' | 'created'>): boolean {
    if (origin === undefined) return true;
    return this.mounts.byUuid(origin.mount) !== undefined && !this.cuts.ends(origin, created);
  }

  /**
   * The access list of a set of policies; a policy that does not exist grants nothing.
   * @param identity who calls, for rules with templates; without one these count for nothing
   */
  async acl(tx: SealedTransaction, names: readonly string[], identity?: Identity): Promise<AclView> {
    if (names.includes(ROOT_POLICY)) return ROOT_ACL;
    if (names.includes(WRAPPING_POLICY)) return WRAPPING_ACL;
    // One that was left out might deny.
    if (names.length > MAX_POLICIES) return NO_ACL;
    const set = names.join('\n');
    let acl = this.#acls.get(set);
    if (acl === undefined || acl.endsAt <= tx.now) acl = await this.#compile(tx, set, names);
    return identity === undefined || acl.templated.length === 0 ? acl : this.#for(identity, set, acl);
  }

  async #compile(tx: SealedTransaction, set: string, names: readonly string[]): Promise<Acl> {
    const records = await tx.getMany(names.map(policyKey));
    const texts = records.flatMap((record) => (record === undefined ? [] : [decodeRecord<PolicyRecord>(record).text]));
    const acl = Acl.compile(texts.map(parsePolicy), tx.now);
    const characters = texts.reduce((sum, { length }) => sum + length, set.length + ACL_CHARACTERS);
    this.#acls.set(set, acl, characters);
    return acl;
  }

  #for(identity: Identity, set: string, of: Acl): Acl {
    const key = `${set}\n\n${identity.version}`;
    const known = this.#own.get(key);
    if (known?.of === of) return known.acl;
    const acl = of.of(identity);
    const characters = of.templated.reduce((sum, { path }) => sum + path.length, key.length + ACL_CHARACTERS);
    this.#own.set(key, { of, acl }, characters);
    return acl;
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
    const [, mounts, cuts] = await tx.getMany([REVISION, MOUNTS, cutsKey]);
    const table = new MountTable(decodeMounts(mounts), this.#defaults);
    const revision = new Revision(raw, table, new Cuts(decodeCuts(cuts).all, this.#defaults));
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
