import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../framework/endpoint.ts';
import { path, versions } from '../params.ts';
import { deletionTime, engineSettings } from '../settings.ts';
import { changeVersions, scheduled } from '../versions.ts';

export const undeleteVersions = write(
  'undelete/:path',
  {
    summary: 'Bring back deleted versions of a secret',
    description: 'Their lifetime begins anew by the settings of now. What is destroyed stays destroyed.',
    params: { path, versions },
  },
  async (values, context) => {
    const engine = await engineSettings(context.store);
    await changeVersions(
      context,
      values.path,
      () => values.versions,
      ({ created }, secret) => ({ created, ...scheduled(deletionTime(engine, secret, context.now)) }),
    );
    return noContent;
  },
);
