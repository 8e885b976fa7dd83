import { EXIT } from '../failure.ts';
import { call } from './client.ts';
import { asJson, clientCommand } from './command.ts';
import { describeSealStatus } from './seal-status.ts';

/** The exit code for a sealed server, as in the family. */
const SEALED = 2;

export const status = clientCommand({
  name: 'status',
  summary: 'Tells whether a server is open. Exit codes: 0 open, 2 sealed, 1 no answer.',
  own: {},
  async run(settings, io) {
    const answer = await call(settings, { method: 'GET', path: 'sys/seal-status' });
    io.out(settings.format === 'json' ? asJson(answer) : describeSealStatus(answer));
    return answer.get('sealed') === false ? EXIT.ok : SEALED;
  },
});
