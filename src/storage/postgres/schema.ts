import { functionsOf } from './functions.ts';

/** The schema of this version, and the oldest version of it whose nodes may still use it. */
export const SCHEMA_VERSION = 1;
const USABLE_FROM = 1;

/** A query as `pg` takes it; every row is a list of values. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>;

/** A schema that this server cannot work with, as a sentence for the operator. */
export class SchemaMismatch extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'SchemaMismatch';
  }
}

/** A name that needs no quotes: nothing else reaches the text of a statement. */
export const isSchemaName = (name: string): boolean => /^[a-z_][a-z0-9_]{0,62}$/.test(name) && !name.startsWith('pg_');

/**
 * Makes the schema, or brings it up to this version, within one transaction. Nodes that start together do it one after the
 * other; nodes of the version before go on meanwhile.
 *
 * Errors: `SchemaMismatch` where a newer version left nothing that this one could use; what the database says.
 */
export async function migrate(schema: string, query: Query): Promise<void> {
  if (!isSchemaName(schema)) throw new Error('the name of a schema is 1 to 63 lower-case letters, digits and "_"');
  if ((await versionOf(schema, query)) >= SCHEMA_VERSION) return;
  await query('SELECT pg_advisory_xact_lock(hashtext($1))', [`keyhold schema ${schema}`]);
  if ((await versionOf(schema, query)) >= SCHEMA_VERSION) return;
  // Whoever may not make a schema can be given an empty one.
  const [found] = await query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (found === undefined) await query(`CREATE SCHEMA ${schema}`);
  await query(tablesOf(schema) + functionsOf(schema));
}

/** 0 where there is none yet. */
async function versionOf(schema: string, query: Query): Promise<number> {
  // Not by to_regclass: a session may remember for the whole transaction that there was none.
  const [exists] = await query(
    "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'version'",
    [schema],
  );
  if (exists === undefined) return 0;
  const [row] = await query(`SELECT version, usable_from FROM ${schema}.version`);
  const [version, usableFrom] = (row ?? []).map(Number);
  if (version === undefined || usableFrom === undefined) {
    throw new SchemaMismatch(`the schema ${schema} of the database is damaged: it does not tell its version`);
  }
  if (usableFrom > SCHEMA_VERSION) {
    throw new SchemaMismatch(
      `the schema ${schema} of the database has version ${version}, made by a newer server; this one knows ${SCHEMA_VERSION}: start a newer one`,
    );
  }
  return version;
}

/** Values are sealed, which no compression makes smaller. */
const tablesOf = (schema: string): string => `
CREATE TABLE ${schema}.records (key bytea PRIMARY KEY, value bytea NOT NULL, version bigint NOT NULL);
ALTER TABLE ${schema}.records ALTER COLUMN value SET STORAGE EXTERNAL;
CREATE SEQUENCE ${schema}.commits;
CREATE SEQUENCE ${schema}.clock;
CREATE TABLE ${schema}.calls (
  node uuid, number bigint, applied boolean[] NOT NULL, at bigint NOT NULL, PRIMARY KEY (node, number)
);
CREATE TABLE ${schema}.version (
  single boolean PRIMARY KEY DEFAULT true CHECK (single), version integer NOT NULL, usable_from integer NOT NULL
);
INSERT INTO ${schema}.version (version, usable_from) VALUES (${SCHEMA_VERSION}, ${USABLE_FROM});
`;
