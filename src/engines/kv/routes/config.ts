import { noContent } from '../../../framework/answer.ts';
import { read, write } from '../../../framework/endpoint.ts';
import { bool, describe, duration, optional, type Schema } from '../../../framework/kinds/index.ts';
import { describeSettings } from '../answers.ts';
import { maxVersions } from '../params.ts';
import { engineSettings, putEngineSettings } from '../settings.ts';

const answer: Readonly<Record<string, Schema>> = {
  cas_required: { type: 'boolean' },
  delete_version_after: { type: 'string', format: 'duration' },
  max_versions: { type: 'integer' },
};

export const readConfig = read(
  'config',
  { summary: 'Read the settings of the engine', params: {}, answer },
  async (_values, { store }) => ({ data: describeSettings(await engineSettings(store)) }),
);

export const writeConfig = write(
  'config',
  {
    summary: 'Configure the engine',
    description: 'What is not given keeps its value.',
    params: {
      max_versions: optional(maxVersions),
      cas_required: describe(optional(bool()), 'all writes must then give cas'),
      delete_version_after: describe(
        optional(duration()),
        'lifetime of versions written from now on; "0s" clears it, a negative one disables those of all secrets too',
      ),
    },
  },
  async (values, { store }) => {
    const old = await engineSettings(store);
    putEngineSettings(store, {
      maxVersions: values.max_versions ?? old.maxVersions,
      casRequired: values.cas_required ?? old.casRequired,
      deleteVersionAfter: values.delete_version_after ?? old.deleteVersionAfter,
    });
    return noContent;
  },
);
