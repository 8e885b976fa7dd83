import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { givenAddress, type MountAddress, refuseReserved, refuseUsed } from './mount-path.ts';
import { fullPath } from './mount-table.ts';
import { storeMounts } from './mounts.ts';
import { readMounts } from './state.ts';
import { uuidOf } from './uuid.ts';

/** One mount that was moved: its full paths before and after. */
export interface Migration {
  readonly id: string;
  readonly source: string;
  readonly target: string;
}

const MIGRATIONS = 'core/migrations';

/** Migrations that can still be asked for; each is over with the answer that names it, so that old ones are of no use. */
const MAX_MIGRATIONS = 64;

/**
 * Gives a mount another path. Its data lies under its uuid, so data and history stay where they are, and whoever reads the
 * mounts next sees it at the new path alone. Paths are full, of an auth method with `auth/`. 400 for a mount that there is
 * not, for paths that belong to the server, are in use, or lie above or beneath one in use (4-open-points, Conventions).
 */
export async function remountMount(tx: SealedTransaction, from: string, to: string): Promise<Migration> {
  const [source, target] = [addressOf(from, 'from'), addressOf(to, 'to')];
  const entries = await readMounts(tx);
  const old = entries.find(({ kind, path }) => kind === source.kind && path === source.path);
  if (old === undefined) throw badRequest('from: there is no mount at this path');
  if (source.kind !== target.kind) {
    throw badRequest('to: an auth method stays under auth/, and a secrets engine outside of it');
  }
  refuseUsed(entries, target.kind, target.path, 'to');
  const moved = { ...old, path: target.path };
  storeMounts(
    tx,
    entries.map((entry) => (entry === old ? moved : entry)),
    moved,
  );
  const migration = { id: uuidOf(tx.random(16)), source: fullPath(old), target: fullPath(moved) };
  const past = (await readMigrations(tx)).slice(0, MAX_MIGRATIONS - 1);
  tx.put(MIGRATIONS, encodeRecord([migration, ...past]));
  return migration;
}

/** A migration by its id; undefined where there was none, or where it was followed by 64 others. */
export async function findMigration(tx: SealedTransaction, id: string): Promise<Migration | undefined> {
  return (await readMigrations(tx)).find((migration) => migration.id === id);
}

/** The latest first. */
async function readMigrations(tx: SealedTransaction): Promise<readonly Migration[]> {
  const record = await tx.get(MIGRATIONS);
  return record === undefined ? [] : decodeRecord<readonly Migration[]>(record);
}

function addressOf(given: string, field: string): MountAddress {
  const address = givenAddress(given, field);
  refuseReserved(address.kind, address.path, field);
  return address;
}
