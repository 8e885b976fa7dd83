import type { Engine, Options, Variant } from '../../framework/engine.ts';
import { badRequest } from '../../framework/errors.ts';
import * as config from './routes/config.ts';
import * as data from './routes/data.ts';
import * as del from './routes/delete.ts';
import * as destroy from './routes/destroy.ts';
import * as metadata from './routes/metadata.ts';
import * as subkeys from './routes/subkeys.ts';
import * as undelete from './routes/undelete.ts';
import * as plain from './v1/routes/index.ts';

const versioned: Variant = {
  endpoints: [config, data, del, destroy, metadata, subkeys, undelete].flatMap((route) => Object.values(route)),
};

const unversioned: Variant = { endpoints: Object.values(plain) };

const VARIANTS: ReadonlyMap<string, Variant> = new Map([
  ['', unversioned],
  ['1', unversioned],
  ['2', versioned],
]);

const versionOf = (options: Options): string => options.get('version') ?? '';

/**
 * JSON maps under paths: in version 2 every write makes a new version (document 3, KV v2), in version 1 it replaces what
 * was there. Options it does not know are left alone.
 */
export const kv: Engine = {
  type: 'kv',
  kind: 'secret',
  summary: 'Key-value secrets',
  aliases: new Map<string, Options>([
    ['kv-v1', new Map([['version', '1']])],
    ['kv-v2', new Map([['version', '2']])],
    ['generic', new Map()],
  ]),
  variant(options) {
    if (!['', 'true', 'false'].includes(options.get('filter_lists') ?? '')) {
      throw badRequest('options.filter_lists: must be "true" or "false"');
    }
    const variant = VARIANTS.get(versionOf(options));
    if (variant === undefined) throw badRequest('options.version: must be "1" or "2"');
    return variant;
  },
  refuseChange(from, to) {
    if (versionOf(from) === '2' && versionOf(to) !== '2') {
      throw badRequest('options.version: a mount of version 2 stays one: version 1 could not hold its versions');
    }
  },
};
