// What ends on one worker has ended on all of them, however much it is.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { at, LINUX, oneToEach, start, until } from './support.ts';

const server = await start(4);
after(() => server.stop());

test(
  'all tokens below a path are dead on every worker with the answer of one, and gone a while later',
  LINUX,
  async () => {
    const lines = [...(await oneToEach(server)).values()];
    const [root = assert.fail()] = lines;
    for (let round = 0; round < 5; round++) {
      const role = `auth/token/create/crowd-${round}`;
      const path = `auth/token/roles/crowd-${round}`;
      assert.ok((await root.send('POST', path, { allowed_policies: ['default'] })).status < 300);
      const tokens: string[] = [];
      for (let i = 0; i < 40; i++) {
        const line = lines[i % lines.length] ?? root;
        const { json } = await line.send('POST', role, { policies: ['default'] });
        tokens.push(String(at(json, 'auth', 'client_token')));
      }
      const revoker = lines[round % lines.length] ?? root;
      assert.equal((await revoker.send('PUT', `sys/leases/revoke-prefix/${role}`, {})).status, 204);
      const answers = await Promise.all(
        lines.map(async (line) => {
          const statuses: number[] = [];
          for (const token of tokens)
            statuses.push((await line.send('GET', 'auth/token/lookup-self', undefined, token)).status);
          return statuses;
        }),
      );
      assert.deepEqual(new Set(answers.flat()), new Set([403]));
      const late = await revoker.send('POST', role, { policies: ['default'] });
      const token = String(at(late.json, 'auth', 'client_token'));
      await until('the job has removed them', async () => {
        const { json } = await root.send('LIST', `sys/leases/lookup/${role}`);
        return Array.from(Object(at(json, 'data', 'keys') ?? [])).length === 1;
      });
      for (const line of lines)
        assert.equal((await line.send('GET', 'auth/token/lookup-self', undefined, token)).status, 200);
    }
    for (const line of lines) line.close();
  },
);
