import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../framework/endpoint.ts';
import { path, versions } from '../params.ts';
import { changeVersions } from '../versions.ts';

export const destroyVersions = write(
  'destroy/:path',
  { summary: 'Remove the data of versions of a secret for good', params: { path, versions } },
  async (values, context) => {
    const data = await changeVersions(
      context,
      values.path,
      () => values.versions,
      (version) => ({ ...version, destroyed: true }),
    );
    for (const key of data) context.store.delete(key);
    return noContent;
  },
);
