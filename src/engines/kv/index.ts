import type { Engine, Variant } from '../../framework/engine.ts';
import { badRequest } from '../../framework/errors.ts';
import * as config from './routes/config.ts';
import * as data from './routes/data.ts';
import * as del from './routes/delete.ts';
import * as destroy from './routes/destroy.ts';
import * as metadata from './routes/metadata.ts';
import * as subkeys from './routes/subkeys.ts';
import * as undelete from './routes/undelete.ts';

const versioned: Variant = {
  endpoints: [config, data, del, destroy, metadata, subkeys, undelete].flatMap((route) => Object.values(route)),
};

/** JSON maps under paths, every write a new version (document 3, KV v2). Options it does not know are left alone. */
export const kv: Engine = {
  type: 'kv',
  kind: 'secret',
  summary: 'Versioned key-value secrets',
  aliases: new Map([['kv-v2', new Map([['version', '2']])]]),
  variant(options) {
    switch (options.get('version') ?? '') {
      case '2':
        return versioned;
      case '':
      case '1':
        throw badRequest(
          'options.version: version 1 of kv is not offered yet: give options.version=2, or the type kv-v2',
        );
      default:
        throw badRequest('options.version: must be "2"');
    }
  },
};
