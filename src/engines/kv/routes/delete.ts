import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../framework/endpoint.ts';
import { path, versions } from '../params.ts';
import { changeVersions, deletedAt } from '../versions.ts';

export const deleteVersions = write(
  'delete/:path',
  {
    summary: 'Delete versions of a secret; undelete brings them back',
    description: 'A version that is deleted already keeps its first time of deletion.',
    params: { path, versions },
  },
  async (values, context) => {
    await changeVersions(context, values.path, () => values.versions, deletedAt(context.now));
    return noContent;
  },
);
