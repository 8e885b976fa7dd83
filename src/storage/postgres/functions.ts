/** A call that arrives later than this after it was begun is refused; its number is kept for longer. */
const LATEST_CALL_MILLIS = 300_000;

/** SQLSTATE of a call that is not done, and would not be if it were made again. */
export const REFUSED = 'KH001';

/** SQLSTATE of a schema that is newer than what these functions are for. */
export const OUTDATED = 'KH002';

/** Added to the object id of a store's own table, this gives the advisory lock of the order of its commits. */
const ORDER_LOCK = 0x4b_65_79_68n << 32n;

/**
 * What the database does for a node, as functions of version 1: each is one trip. Their plans are kept by the server's
 * own sessions, so that nothing needs to be prepared by name. All times are milliseconds since 1970.
 *
 * A later version adds functions of its own names, so that nodes of two versions share a database while it is upgraded.
 */
export const functionsOf = (schema: string): string => `
${NOW(schema)}
${GET(schema)}
${RANGE(schema)}
${LIST(schema)}
${LOSERS(schema)}
${COMMIT(schema)}
`;

/**
 * For this transaction. A statement that waits for a lock longer than its node waits for it ends by itself: otherwise
 * those that were given up pile up behind the lock until the server has no connection left.
 */
const LOCK_TIMEOUT = "set_config('lock_timeout', lock_millis::text, true)";

/** The database's clock, never behind the latest one that a commit has recorded. Cut, since a cast would round up. */
const NOW = (schema: string): string => `
CREATE FUNCTION ${schema}.now_1() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(c.last_value, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM ${schema}.clock c
$$;`;

/**
 * The head of all that reads. A standby's state may be old. A schema whose mark leaves version 1 out may hold what these
 * functions would read or write wrongly: whoever runs meanwhile ends with it, commits in the order's queue too.
 */
const FIT = (schema: string): string => `
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'this is a standby' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  IF (SELECT v.usable_from FROM ${schema}.version v) > 1 THEN
    RAISE EXCEPTION 'the schema was upgraded and leaves this version out: start a newer server' USING ERRCODE = '${OUTDATED}';
  END IF;
`;

/**
 * The records of \`keys\` at the places 1, 2, …; of \`checks\` only the versions, at -1, -2, …; missing ones have no row.
 * At place 0 the time. What of the same transaction comes after it waits as long for a lock.
 */
const GET = (schema: string): string => `
CREATE FUNCTION ${schema}.get_1(lock_millis integer, keys bytea[], checks bytea[])
RETURNS TABLE (place integer, value bytea, version bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  wanted bytea;
  lock_timeout text := ${LOCK_TIMEOUT};
BEGIN
${FIT(schema)}  place := 0;
  version := ${schema}.now_1();
  RETURN NEXT;
  FOREACH wanted IN ARRAY keys LOOP
    place := place + 1;
    SELECT r.value, r.version INTO value, version FROM ${schema}.records r WHERE r.key = wanted;
    IF FOUND THEN RETURN NEXT; END IF;
  END LOOP;
  place := 0;
  value := NULL;
  FOREACH wanted IN ARRAY checks LOOP
    place := place - 1;
    SELECT r.version INTO version FROM ${schema}.records r WHERE r.key = wanted;
    IF FOUND THEN RETURN NEXT; END IF;
  END LOOP;
END $$;`;

/** Plans are made once and kept, also from the time when the table was small: so by the index in any case. */
const BY_INDEX = 'SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off';

/** low ≤ key < high, in order. */
const RANGE = (schema: string): string => `
CREATE FUNCTION ${schema}.range_1(low bytea, high bytea, most integer)
RETURNS TABLE (key bytea, value bytea, version bigint) LANGUAGE plpgsql STABLE ${BY_INDEX} AS $$
BEGIN
  RETURN QUERY SELECT r.key, r.value, r.version FROM ${schema}.records r
    WHERE r.key >= low AND r.key < high ORDER BY r.key LIMIT most;
END $$;`;

/**
 * Names of direct children of `prefix` whose keys lie in low ≤ key < high. Each step reads as many keys as `batch` says
 * and seeks behind the last of their names, past what else is in it where it is a folder: more keys at a time while they
 * are of many names, few where folders are large.
 */
const LIST = (schema: string): string => `
CREATE FUNCTION ${schema}.list_1(prefix bytea, low bytea, high bytea, most integer)
RETURNS SETOF bytea LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan ${BY_INDEX} AS $$
BEGIN
  RETURN QUERY
  WITH RECURSIVE walk(names, seek, batch) AS (
    SELECT ARRAY[]::bytea[], low, 16
    UNION ALL
    SELECT step.names,
      -- 0x2f is the slash, 0x30 the byte behind it.
      prefix || CASE get_byte(step.last, octet_length(step.last) - 1)
        WHEN 47 THEN substring(step.last FOR octet_length(step.last) - 1) || '\\x30'::bytea
        ELSE step.last || '\\x00'::bytea
      END,
      CASE
        WHEN cardinality(step.names) * 3 >= walk.batch THEN least(walk.batch * 2, 256)
        WHEN cardinality(step.names) * 8 < walk.batch THEN greatest(walk.batch / 4, 1)
        ELSE walk.batch
      END
    FROM walk, LATERAL (
      SELECT every.names, every.names[cardinality(every.names)] AS last FROM (
        SELECT array_agg(DISTINCT CASE parts.slash WHEN 0 THEN parts.rest ELSE substring(parts.rest FOR parts.slash) END) AS names
        FROM (
          SELECT rests.rest, position('\\x2f'::bytea IN rests.rest) AS slash FROM (
            SELECT substring(r.key FROM octet_length(prefix) + 1) AS rest FROM ${schema}.records r
            WHERE r.key >= walk.seek AND r.key < high ORDER BY r.key LIMIT walk.batch
          ) rests
        ) parts
      ) every WHERE every.names IS NOT NULL
    ) step
  )
  SELECT name FROM walk, unnest(walk.names) AS name LIMIT most;
END $$;`;

/**
 * The numbers (tx) of the transactions something of whose reads would be answered otherwise now: a record by its version (0
 * where it is missing), a range or listing by its digest.
 */
const LOSERS = (schema: string): string => `
CREATE FUNCTION ${schema}.losers_1(
  lock_millis integer,
  get_tx integer[], get_key bytea[], get_version bigint[],
  range_tx integer[], range_low bytea[], range_high bytea[], range_most integer[], range_digest bytea[],
  list_tx integer[], list_prefix bytea[], list_low bytea[], list_high bytea[], list_most integer[], list_digest bytea[]
) RETURNS SETOF integer LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  lock_timeout text := ${LOCK_TIMEOUT};
BEGIN
${FIT(schema)}  RETURN QUERY SELECT g.tx FROM unnest(get_tx, get_key, get_version) g(tx, key, version)
    WHERE coalesce((SELECT r.version FROM ${schema}.records r WHERE r.key = g.key), 0) <> g.version;
  IF cardinality(range_tx) > 0 THEN
    RETURN QUERY SELECT g.tx
      FROM unnest(range_tx, range_low, range_high, range_most, range_digest) g(tx, low, high, most, digest)
      WHERE g.digest <> sha256(coalesce((
        SELECT string_agg(int4send(octet_length(r.key)) || r.key || int8send(r.version), ''::bytea)
        FROM ${schema}.range_1(g.low, g.high, g.most) r), ''::bytea));
  END IF;
  IF cardinality(list_tx) > 0 THEN
    RETURN QUERY SELECT g.tx
      FROM unnest(list_tx, list_prefix, list_low, list_high, list_most, list_digest) g(tx, prefix, low, high, most, digest)
      WHERE g.digest <> sha256(coalesce((
        SELECT string_agg(int4send(octet_length(r.name)) || r.name, ''::bytea)
        FROM ${schema}.list_1(g.prefix, g.low, g.high, g.most) r(name)), ''::bytea));
  END IF;
END $$;`;

/**
 * One call for all transactions (1 … amount) that wait on a node. The advisory lock, held until what was written is
 * durable, puts the calls of all nodes into one order: each statement behind it sees all that the call before left.
 *
 * A node numbers its calls. One that comes again is answered as it was the first time; one that comes after a later
 * one, or so late that its node may be forgotten, is refused: nobody waits for it any more.
 *
 * `step_…` tells in order which of its transactions read (step_write 0) or write (1) a slot, a key that matters within
 * this call: a transaction loses by a write of an earlier winner, too. `put_layer` keeps writes of one key apart.
 *
 * The number of commits and the clock are sequences, and calls are rows of their own: a row changed by each commit would
 * grow a tail of dead versions for as long as anybody, such as a backup, keeps a snapshot open.
 */
const COMMIT = (schema: string): string => `
CREATE FUNCTION ${schema}.commit_1(
  lock_millis integer, calling uuid, this_number bigint, begun bigint, seen bigint, amount integer,
  get_tx integer[], get_key bytea[], get_version bigint[],
  range_tx integer[], range_low bytea[], range_high bytea[], range_most integer[], range_digest bytea[],
  list_tx integer[], list_prefix bytea[], list_low bytea[], list_high bytea[], list_most integer[], list_digest bytea[],
  slots integer, step_tx integer[], step_slot integer[], step_write integer[],
  put_tx integer[], put_key bytea[], put_value bytea[], put_layer integer[], layers integer,
  OUT applied boolean[], OUT clock bigint
) LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan ${BY_INDEX} AS $$
DECLARE
  this_commit bigint;
  before ${schema}.calls%ROWTYPE;
  tx integer;
  step record;
  dirty boolean[] := array_fill(false, ARRAY[slots]);
  lock_timeout text := ${LOCK_TIMEOUT};
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the database must leave transactions at read committed' USING ERRCODE = '${REFUSED}';
  END IF;
  PERFORM pg_advisory_xact_lock(${ORDER_LOCK} + '${schema}.calls'::regclass::oid::bigint);
  SELECT greatest(${schema}.now_1(), seen) INTO clock;
  SELECT * INTO before FROM ${schema}.calls c WHERE c.node = calling ORDER BY c.node DESC, c.number DESC LIMIT 1;
  IF before.number = this_number THEN
    applied := before.applied;
    RETURN;
  END IF;
  IF before.number > this_number OR begun < clock - ${LATEST_CALL_MILLIS} THEN
    RAISE EXCEPTION 'nobody waits for this call any more' USING ERRCODE = '${REFUSED}';
  END IF;
  PERFORM setval('${schema}.clock', clock);
  this_commit := nextval('${schema}.commits');

  applied := array_fill(true, ARRAY[amount]);
  FOR tx IN SELECT * FROM ${schema}.losers_1(
    lock_millis, get_tx, get_key, get_version,
    range_tx, range_low, range_high, range_most, range_digest,
    list_tx, list_prefix, list_low, list_high, list_most, list_digest)
  LOOP
    applied[tx] := false;
  END LOOP;
  FOR step IN SELECT * FROM unnest(step_tx, step_slot, step_write) s(tx, slot, write) LOOP
    IF step.write = 0 AND dirty[step.slot] THEN applied[step.tx] := false; END IF;
    IF step.write = 1 AND applied[step.tx] THEN dirty[step.slot] := true; END IF;
  END LOOP;

  FOR this_layer IN 0 .. layers - 1 LOOP
    INSERT INTO ${schema}.records AS r (key, value, version)
      SELECT p.key, p.value, this_commit FROM unnest(put_tx, put_key, put_value, put_layer) p(tx, key, value, layer)
      WHERE p.layer = this_layer AND applied[p.tx] AND p.value IS NOT NULL
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version;
    DELETE FROM ${schema}.records r WHERE r.key = ANY (ARRAY(
      SELECT p.key FROM unnest(put_tx, put_key, put_value, put_layer) p(tx, key, value, layer)
      WHERE p.layer = this_layer AND applied[p.tx] AND p.value IS NULL));
  END LOOP;

  INSERT INTO ${schema}.calls (node, number, applied, at) VALUES (calling, this_number, applied, clock);
  IF this_commit % 1000 = 0 THEN
    DELETE FROM ${schema}.calls c WHERE c.at < clock - 2 * ${LATEST_CALL_MILLIS};
  END IF;
  -- An answer tells of what is on disk, whatever else a database is set to.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $$;`;
