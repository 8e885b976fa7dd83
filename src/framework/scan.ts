import type { StoreReader } from './context.ts';
import type { Names } from './listing.ts';

/** Listings that one piece of a scan takes, so that one of a deep tree takes no longer than one of a flat folder. */
const LISTINGS = 32;

/** Those of the first piece: it is read in the transaction of the request, where others' writes could undo it. */
const FIRST_LISTINGS = 16;

/** Names of one listing: what waits of a folder while those within it are read. */
const NAMES = 1_000;

/** UTF-16 units: no path has more bytes (4-open-points, Conventions), nor the name of a lease; what stands behind them says nothing. */
const MAX_NAME = 1_280;

/** A folder that is being read. */
interface Place {
  readonly folder: string;
  names: readonly string[];
  /** Of the next name. */
  at: number;
  /** Behind which name the folder goes on when these are through; undefined where it does not. */
  rest: string | undefined;
}

const placeIn = (folder: string, after = ''): Place => ({ folder, names: [], at: 0, rest: after });

/**
 * The names of all records beneath a folder, whole from there on, without the folders themselves. They are sorted by the
 * bytes of UTF-8, because a store lists `a/` where the names beneath it have their place.
 * @param prefix ends in `/`, or is empty
 * @param after only names behind this one, which need not exist
 */
export function scanNames(store: Pick<StoreReader, 'list'>, prefix: string, after: string): Names {
  const way = wayTo(after.slice(0, MAX_NAME));
  let most = FIRST_LISTINGS;
  return {
    async next(limit) {
      const keys: string[] = [];
      let left = most;
      most = LISTINGS;
      for (;;) {
        const place = way.at(-1);
        if (place === undefined || keys.length === limit) return { keys, done: place === undefined };
        const name = place.names[place.at++];
        if (name?.endsWith('/')) way.push(placeIn(place.folder + name));
        else if (name !== undefined) keys.push(place.folder + name);
        else if (place.rest === undefined) way.pop();
        else if (left-- === 0) return { keys, done: false };
        else {
          const { folder, rest } = place;
          place.names = await store.list({ prefix: prefix + folder, after: rest, limit: NAMES });
          place.at = 0;
          place.rest = place.names.length === NAMES ? place.names.at(-1) : undefined;
        }
      }
    },
  };
}

/** What is to be read behind a name, the innermost folder last. */
function wayTo(name: string): Place[] {
  const way: Place[] = [];
  let start = 0;
  for (let slash = name.indexOf('/'); slash !== -1; slash = name.indexOf('/', start)) {
    way.push(placeIn(name.slice(0, start), name.slice(start, slash + 1)));
    start = slash + 1;
  }
  way.push(placeIn(name.slice(0, start), name.slice(start)));
  return way;
}
