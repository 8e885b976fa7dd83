import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { TokenServer } from './testing.ts';

const tokens = await TokenServer.open();
const { token: maker } = await tokens.make({ policies: ['maker'], no_default_policy: true });
const { token: plain } = await tokens.make({ policies: ['plain', 'default'] });
const CALLERS = { root: tokens.server.root, maker, plain };
let roles = 0;

type Wanted = Readonly<Record<string, unknown>> | 400;
/** What the role says, what is asked for, by whom, and what comes of it. */
type Case = readonly [role: object, body: object, by: keyof typeof CALLERS, wanted: Wanted];

function cases(table: readonly Case[]): void {
  for (const [role, body, by, wanted] of table) {
    test(`${by} by ${JSON.stringify(role)}: ${JSON.stringify(body)}`, async () => {
      const name = `made-${roles++}`;
      await tokens.role(name, role);
      const { status, json, text } = await tokens.call(`create/${name}`, body, CALLERS[by]);
      assert.equal(status, wanted === 400 ? 400 : 200, text);
      if (wanted === 400) assert.equal(at(json, 'auth'), undefined);
      else
        for (const [member, value] of Object.entries(wanted)) assert.deepEqual(at(json, 'auth', member), value, member);
    });
  }
}

describe('policies of a token made by a role', () => {
  cases([
    // A role that says nothing of policies bounds nothing: the caller's own hold.
    [{}, {}, 'plain', { policies: ['default', 'plain'] }],
    [{}, { policies: ['other'] }, 'plain', 400],
    [{}, { policies: ['other'] }, 'maker', { policies: ['default', 'other'] }],
    [{}, {}, 'root', { policies: ['root'] }],
    [{ token_no_default_policy: true }, {}, 'plain', { policies: ['plain'] }],
    [{ allowed_policies: ['a', 'b'] }, {}, 'plain', { policies: ['a', 'b', 'default'] }],
    [{ allowed_policies: ['a', 'b'] }, { policies: ['b'] }, 'plain', { policies: ['b', 'default'] }],
    [{ allowed_policies: ['a', 'b'] }, { policies: [' B'] }, 'plain', { policies: ['b', 'default'] }],
    [{ allowed_policies: ['a', 'b'] }, { policies: ['default'] }, 'plain', { policies: ['default'] }],
    [{ allowed_policies: ['a', 'b'] }, { policies: ['a', 'c'] }, 'root', 400],
    [{ allowed_policies: ['a', 'b'] }, { policies: ['root'] }, 'root', 400],
    [{ allowed_policies: ['a'] }, { no_default_policy: true }, 'plain', { policies: ['a'] }],
    [{ allowed_policies: ['a'] }, { policies: ['default'], no_default_policy: true }, 'plain', 400],
    [{ allowed_policies: ['a'], token_no_default_policy: true }, { policies: ['default'] }, 'plain', 400],
    [{ allowed_policies: ['a'], disallowed_policies: ['default'] }, {}, 'plain', { policies: ['a'] }],
    [{ allowed_policies: ['a'], disallowed_policies_glob: ['def*'] }, {}, 'plain', { policies: ['a'] }],
    [{ allowed_policies: ['a'], disallowed_policies: ['a'] }, {}, 'plain', 400],
    [{ allowed_policies_glob: ['t-*'] }, { policies: ['t-1', 't-'] }, 'plain', { policies: ['default', 't-', 't-1'] }],
    [{ allowed_policies_glob: ['t-*'] }, { policies: ['t'] }, 'plain', 400],
    [{ allowed_policies_glob: ['*-t'] }, { policies: ['a-t'] }, 'plain', { policies: ['a-t', 'default'] }],
    [{ allowed_policies_glob: ['*-t'] }, { policies: ['a-t-b'] }, 'plain', 400],
    [{ allowed_policies_glob: ['*-*'] }, { policies: ['a-b'] }, 'plain', { policies: ['a-b', 'default'] }],
    [{ allowed_policies_glob: ['T-*'] }, { policies: ['T-1'] }, 'plain', { policies: ['default', 't-1'] }],
    [{ allowed_policies_glob: ['t-*'] }, {}, 'plain', { policies: ['default'] }],
    [
      { allowed_policies: ['a'], allowed_policies_glob: ['t*'] },
      { policies: ['a', 't'] },
      'plain',
      { policies: ['a', 'default', 't'] },
    ],
    // Root is given by root alone, whatever the role allows.
    [{ allowed_policies_glob: ['*'] }, { policies: ['root'] }, 'maker', 400],
    [{ allowed_policies_glob: ['ro*'] }, { policies: ['ROOT '] }, 'plain', 400],
    [{ allowed_policies_glob: ['*'] }, { policies: ['root'] }, 'root', { policies: ['root'] }],
    [{ allowed_policies_glob: ['*'] }, { policies: ['response-wrapping'] }, 'root', 400],
    [{ disallowed_policies: ['bad'] }, { policies: ['bad'] }, 'root', 400],
    [{ disallowed_policies: ['bad'] }, { policies: ['BAD'] }, 'plain', 400],
    [{ disallowed_policies: ['bad'] }, { policies: ['good', 'bad'] }, 'plain', 400],
    [{ disallowed_policies: ['bad'] }, { policies: ['good'] }, 'plain', { policies: ['default', 'good'] }],
    [{ disallowed_policies: ['bad'] }, {}, 'plain', { policies: ['default', 'plain'] }],
    [{ disallowed_policies: ['plain'] }, {}, 'plain', 400],
    [{ disallowed_policies: ['default'] }, { policies: ['default'] }, 'plain', 400],
    [{ disallowed_policies: ['root'] }, { policies: ['root'] }, 'root', 400],
    [{ disallowed_policies: ['bad'] }, { policies: ['root'] }, 'maker', 400],
    [{ disallowed_policies_glob: ['evil-*'] }, { policies: ['evil-x'] }, 'plain', 400],
    [{ disallowed_policies_glob: ['*'] }, { policies: ['x'] }, 'root', 400],
  ]);
});

describe('limits of a token made by a role', () => {
  cases([
    [{ token_num_uses: 5 }, {}, 'plain', { num_uses: 5 }],
    [{ token_num_uses: 5 }, { num_uses: 2 }, 'plain', { num_uses: 2 }],
    [{ token_num_uses: 5 }, { num_uses: 9 }, 'plain', { num_uses: 5 }],
    [{ token_period: 60 }, {}, 'plain', { lease_duration: 60 }],
    [{ token_period: 60 }, { ttl: 5 }, 'plain', { lease_duration: 60 }],
    [{ token_period: 60 }, { period: 30 }, 'maker', { lease_duration: 30 }],
    [{ token_period: 60 }, { period: 90 }, 'maker', { lease_duration: 60 }],
    [{ token_period: 60 }, { period: 30 }, 'plain', 400],
    [{ token_explicit_max_ttl: 60 }, {}, 'plain', { lease_duration: 60 }],
    [{ token_explicit_max_ttl: 60 }, { ttl: '2h' }, 'plain', { lease_duration: 60 }],
    [{ token_explicit_max_ttl: 60 }, { explicit_max_ttl: 30 }, 'plain', { lease_duration: 30 }],
    [{ token_explicit_max_ttl: 60 }, { explicit_max_ttl: 90, ttl: 80 }, 'plain', { lease_duration: 60 }],
    [{ token_explicit_max_ttl: 60 }, { policies: ['root'] }, 'root', { lease_duration: 60 }],
    [{ renewable: false }, { renewable: true }, 'plain', { renewable: false }],
    [{ renewable: true }, { renewable: false }, 'plain', { renewable: false }],
    [{ orphan: true }, {}, 'plain', { orphan: true, entity_id: '' }],
    [{ orphan: false }, { no_parent: true }, 'maker', { orphan: false }],
    [{ orphan: false }, { no_parent: true }, 'plain', 400],
    [{}, { id: 'chosen-by-role' }, 'plain', 400],
    [{}, { id: 'chosen-by-role' }, 'maker', { client_token: 'chosen-by-role' }],
    [{}, { entity_alias: 'ada' }, 'plain', 400],
    [{ allowed_entity_aliases: ['b*'] }, { entity_alias: 'ada' }, 'plain', 400],
  ]);
});

describe('the type of a token made by a role', () => {
  const batch = { token_type: 'batch', orphan: true, renewable: false };
  cases([
    [{ token_type: 'service' }, { type: 'batch' }, 'plain', { token_type: 'service' }],
    [{ token_type: 'service' }, {}, 'plain', { token_type: 'service' }],
    [{ token_type: 'default-service' }, {}, 'plain', { token_type: 'service' }],
    [{ token_type: 'default-service' }, { type: 'batch' }, 'plain', { token_type: 'batch', orphan: false }],
    [{ token_type: 'default-batch' }, {}, 'plain', { token_type: 'batch' }],
    [{ token_type: 'default-batch' }, { type: 'service' }, 'plain', { token_type: 'service' }],
    [{ token_type: 'default-batch' }, { num_uses: 1 }, 'plain', 400],
    [batch, {}, 'plain', { token_type: 'batch', orphan: true }],
    [batch, { type: 'service' }, 'plain', { token_type: 'batch' }],
    [batch, { policies: ['root'] }, 'root', 400],
    [batch, { period: 5 }, 'maker', 400],
    // Who asks for a batch token does not get out of what the role says of the others.
    [{ token_num_uses: 1 }, { type: 'batch' }, 'plain', 400],
    [{ token_explicit_max_ttl: 60 }, { type: 'batch', ttl: '2h' }, 'plain', 400],
    [{ token_period: 60 }, { type: 'batch', ttl: '2h' }, 'plain', 400],
    [{ token_type: 'default-batch', token_num_uses: 1 }, {}, 'root', 400],
    [{ token_type: 'default-batch', token_num_uses: 1 }, { type: 'service' }, 'plain', { num_uses: 1 }],
  ]);
});

describe('a token made by a role', () => {
  test('names the role, and its path with the suffix', async () => {
    await tokens.role('suffixed', { path_suffix: 'v-2', orphan: true });
    const { token } = await tokens.make({ policies: ['p'] }, undefined, 'create/suffixed');
    const self = await tokens.self(token);
    assert.deepEqual([at(self, 'role'), at(self, 'path')], ['suffixed', 'auth/token/create/suffixed/v-2']);
  });

  test('is told of what the role and the wish both say', async () => {
    await tokens.role('both', { token_period: 60, token_explicit_max_ttl: 600 });
    const { warnings } = await tokens.make(
      { policies: ['maker'], period: 30, explicit_max_ttl: 300 },
      undefined,
      'create/both',
    );
    assert.deepEqual(
      Array.from(Object(warnings), (one) => String(one).split(':')[0]),
      ['explicit_max_ttl', 'period'],
    );
  });

  test('needs the path of the role, and sudo on that path for what takes sudo', async () => {
    for (const name of ['mine', 'other']) await tokens.role(name, { allowed_policies: ['x'] });
    const token = await tokens.server.tokenWith('path "auth/token/create/mine" { capabilities = ["update"] }');
    const sudo = await tokens.server.tokenWith(
      'path "auth/token/create/mine" { capabilities = ["update"] } path "auth/token/create" { capabilities = ["update", "sudo"] }',
    );
    assert.equal(await tokens.status('create/mine', {}, token), 200);
    assert.equal(await tokens.status('create/other', {}, token), 403);
    assert.equal(await tokens.status('create', {}, token), 403);
    for (const body of [{ period: 5 }, { id: 'mine' }])
      assert.equal(await tokens.status('create/mine', body, sudo), 400);
    assert.equal(await tokens.status('create', { id: 'mine' }, sudo), 200);
  });

  test('cannot be made by a batch token, nor by one whose uses are counted', async () => {
    await tokens.role('any', { orphan: true });
    const { token: batch } = await tokens.make({ policies: ['maker'], type: 'batch' });
    const { token: counted } = await tokens.make({ policies: ['maker'], num_uses: 5 });
    for (const path of ['create', 'create-orphan', 'create/any']) {
      for (const token of [batch, counted]) assert.equal(await tokens.status(path, {}, token), 400, path);
    }
  });
});
