import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../framework/endpoint.ts';
import { path, versions } from '../params.ts';
import { removeData } from '../secret.ts';
import { changeVersions } from '../versions.ts';

export const destroyVersions = write(
  'destroy/:path',
  { summary: 'Remove the data of versions of a secret for good', params: { path, versions } },
  async (values, context) => {
    const destroyed = await changeVersions(
      context,
      values.path,
      () => values.versions,
      (version) => ({ ...version, destroyed: true }),
    );
    removeData(context.store, values.path, destroyed);
    return noContent;
  },
);
