import { RawJson } from '../../../framework/answer.ts';
import { read } from '../../../framework/endpoint.ts';
import { scanJson, subkeys } from '../../../framework/json/index.ts';
import { describe, int } from '../../../framework/kinds/index.ts';
import { path, version } from '../params.ts';
import { readVersion } from '../read-version.ts';

export const readSubkeys = read(
  'subkeys/:path',
  {
    summary: 'Read the structure of a secret without its values',
    params: { path, version, depth: describe(int(0, { min: 0 }), 'keys this deep are leaves; 0 for no limit') },
    answer: { metadata: { type: 'object' }, subkeys: { type: 'object', nullable: true } },
  },
  async (values, context) => {
    const { data, metadata } = await readVersion(context, values.path, values.version);
    if (data === undefined) return { status: 404, data: { metadata, subkeys: null } };
    return { data: { metadata, subkeys: new RawJson(subkeys(scanJson(data, 'stored data'), values.depth)) } };
  },
);
