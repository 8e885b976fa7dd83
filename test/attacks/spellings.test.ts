// Known attacks A3, A9, B1, B4, B12 and R1 on names of users, roles, entities and policies, in each spelling there is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, startTarget } from './support.ts';

const target = await startTarget();
for (const type of ['userpass', 'approle']) {
  await target.expect(204, 'POST', `sys/auth/${type}`, { body: { type } });
}

const PASSWORD = 'correct-horse';
const write = (path: string, body: unknown, status: number | readonly number[] = [200, 204]) =>
  target.expect(status, 'POST', path, { body });

async function read(path: string, ...names: readonly string[]): Promise<unknown> {
  return at((await target.expect(200, 'GET', path)).json, 'data', ...names);
}

const logIn = (path: string, body: unknown) => target.send('POST', path, { token: undefined, body });

/** A role, and a secret id of it. */
async function role(name: string, terms: object = {}, wishes: object = {}) {
  await write(`auth/approle/role/${name}`, terms);
  const { json } = await write(`auth/approle/role/${name}/secret-id`, wishes, 200);
  return {
    role_id: String(await read(`auth/approle/role/${name}/role-id`, 'role_id')),
    secret_id: String(at(json, 'data', 'secret_id')),
    accessor: String(at(json, 'data', 'secret_id_accessor')),
  };
}

const WRITES = 'capabilities = ["create", "read", "update", "delete", "list", "sudo"]';

test('A3 a rule for a name holds in each spelling that leads to it', async () => {
  const folders: readonly (readonly [folder: string, made: object, beneath: readonly string[]])[] = [
    ['auth/userpass/users/', { password: PASSWORD }, ['/password', '/policies']],
    ['auth/approle/role/', {}, ['/secret-id', '/role-id', '/policies', '/custom-secret-id', '/secret-id/lookup']],
    ['identity/entity/name/', {}, []],
    ['identity/group/name/', {}, []],
    ['sys/policies/acl/', { policy: 'path "x" { capabilities = ["read"] }' }, []],
    ['sys/policy/', { policy: 'path "x" { capabilities = ["read"] }' }, []],
  ];
  const body = { password: 'mine', policies: ['mine'], policy: '', role_id: 'mine', secret_id: 'mine' };
  for (const narrower of ['deny', 'list']) {
    const rules = folders.flatMap(([folder]) => [
      `path "${folder}*" { ${WRITES} }`,
      `path "${folder}admin" { capabilities = ["${narrower}"] }`,
      `path "${folder}admin/*" { capabilities = ["${narrower}"] }`,
    ]);
    const token = await target.tokenWith(rules.join('\n'));
    for (const [folder, made, beneath] of folders) {
      await write(`${folder}admin`, made);
      // Blanks around it belong to no other name.
      const blanks = folder.startsWith('sys/') ? ['admin%20', '%20ADMIN'] : [];
      for (const name of ['admin', 'ADMIN', '%61dmiN', ...blanks]) {
        for (const part of ['', ...beneath]) {
          for (const method of narrower === 'deny' ? ['GET', 'POST', 'DELETE', 'LIST'] : ['GET', 'POST', 'DELETE']) {
            const { status } = await target.send(method, folder + name + part, { token, body });
            assert.ok(status === 403 || status === 405, `${method} ${folder}${name}${part}: ${status}`);
          }
        }
      }
      // The rule is for that name alone.
      await target.expect([200, 204], 'POST', `${folder}OTHER`, { token, body: made });
      await target.expect([200, 204], 'GET', `${folder}other`, { token, body: made });
    }
  }
  assert.equal((await logIn('auth/userpass/login/admin', { password: PASSWORD })).status, 200);
});

test('A3 a rule for a name as it is spelled permits what it did', async () => {
  const token = await target.tokenWith('path "auth/approle/role/MyRole/secret-id" { capabilities = ["update"] }');
  await write('auth/approle/role/myrole', {});
  await target.expect(200, 'POST', 'auth/approle/role/MyRole/secret-id', { token, body: {} });
  await target.expect(403, 'POST', 'auth/approle/role/myrole/secret-id', { token, body: {} });
});

test('A9 a rule for a parameter holds under its older name, and the other way round', async () => {
  for (const [path, now, before] of [
    ['auth/userpass/users/a9', 'token_policies', 'policies'],
    ['auth/userpass/users/a9/policies', 'token_policies', 'policies'],
    ['auth/approle/role/a9', 'token_policies', 'policies'],
    ['auth/approle/role/a9/policies', 'token_policies', 'policies'],
  ] as const) {
    await write('auth/userpass/users/a9', { password: PASSWORD });
    await write('auth/approle/role/a9', {});
    for (const [ruled, sent] of [
      [now, before],
      [before, now],
      [now, now],
      [before, before],
    ] as const) {
      const rule = (more: string) => target.tokenWith(`path "${path}" { capabilities = ["create", "update"] ${more} }`);
      const denied = await rule(`denied_parameters = { "${ruled}" = ["admin"] }`);
      const allowed = await rule(`allowed_parameters = { "${ruled}" = ["dev"], "*" = [] }`);
      const listed = await rule(`allowed_parameters = { "${ruled}" = ["dev"] }`);
      for (const [token, value, may] of [
        [denied, 'admin', false],
        [denied, 'dev,ADMIN', false],
        [denied, ['dev'], true],
        [allowed, 'admin', false],
        [allowed, ['dev', 'admin'], false],
        [allowed, 'dev', true],
        [listed, 'admin', false],
        [listed, 'dev', ruled === sent],
      ] as const) {
        await target.expect(may ? [200, 204] : 403, 'POST', path, { token, body: { [sent]: value } });
      }
      await target.expect(403, 'POST', path, {
        token: denied,
        body: { [sent]: 'dev', [sent === now ? before : now]: 'admin' },
      });
    }
  }
  const lease = await target.tokenWith(
    'path "auth/token/create" { capabilities = ["update"] denied_parameters = { "ttl" = [] } }',
  );
  await target.expect(403, 'POST', 'auth/token/create', { token: lease, body: { lease: '1h' } });
  await target.expect(200, 'POST', 'auth/token/create', { token: lease, body: { num_uses: 1 } });
});

test('R1 what ends the logins of a user ends them in each spelling', async () => {
  await write('auth/userpass/users/ada', { password: PASSWORD });
  const tokens: string[] = [];
  for (const name of ['ada', 'ADA', 'aD%61']) {
    const { json } = await logIn(`auth/userpass/login/${name}`, { password: PASSWORD });
    tokens.push(String(at(json, 'auth', 'client_token')));
  }
  for (const token of tokens) await target.expect(200, 'GET', 'auth/token/lookup-self', { token });
  await write('sys/leases/revoke-prefix/auth/userpass/login/ada', {});
  for (const token of tokens) await target.expect(403, 'GET', 'auth/token/lookup-self', { token });
});

test('R1 no two roles have ids of one alias, and each id is one spelling', async () => {
  const one = await role('one', { role_id: 'Deploy' });
  await write('auth/approle/role/two', { role_id: 'deploy' }, 400);
  await write('auth/approle/role/two', {});
  for (const role_id of ['deploy', 'DEPLOY', ' Deploy', 'Deploy\t']) {
    await write('auth/approle/role/two/role-id', { role_id }, 400);
  }
  assert.equal((await logIn('auth/approle/login', { ...one, role_id: 'deploy' })).status, 400);
  assert.equal((await logIn('auth/approle/login', one)).status, 200);
  await write('auth/approle/role/one/role-id', { role_id: 'DEPLOY' });
  assert.equal((await logIn('auth/approle/login', one)).status, 400);
  assert.equal((await logIn('auth/approle/login', { ...one, role_id: 'DEPLOY' })).status, 200);
});

test('B1 root is given by no user and no role, in no spelling', async () => {
  await write('auth/userpass/users/b1', { password: PASSWORD });
  await write('auth/approle/role/b1', {});
  const spellings = ['root', ' root', 'ROOT', 'Root ', 'root\\t', '\\nroot', 'r\\u006fot', 'ROOT\\r\\n'].flatMap(
    (name) => [...[`"${name}"`, `["${name}"]`, `["default","${name}"]`, `"default,${name}"`, `"default, ${name} "`]],
  );
  const others = ['["ｒoot"]', '["root\\u0000"]', '["roоt"]', '["root\\u200b"]', '["../root"]', '{"root":1}'];
  for (const [path, names] of [
    ['auth/userpass/users/b1', ['token_policies', 'policies']],
    ['auth/userpass/users/b1-new', ['token_policies', 'policies']],
    ['auth/userpass/users/b1/policies', ['token_policies', 'policies']],
    ['auth/approle/role/b1', ['token_policies', 'policies']],
    ['auth/approle/role/b1-new', ['token_policies', 'policies']],
    ['auth/approle/role/b1/policies', ['token_policies', 'policies']],
    ['auth/token/roles/b1', ['allowed_policies', 'allowed_policies_glob']],
  ] as const) {
    for (const name of names) {
      for (const policies of [...spellings, ...others]) {
        const { status } = await target.send('POST', path, { body: `{"${name}":${policies}}` });
        assert.ok(
          status === 400 || (name.startsWith('allowed') && !spellings.includes(policies)),
          `${path}: ${policies}`,
        );
      }
      await target.expect(400, 'POST', path, { body: `{"${name}":["a"],"${name}":["ROOT"]}` });
      await target.expect(400, 'POST', path, {
        body: `${name}=default,%20root`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
    }
  }
  for (const path of ['auth/userpass/users/b1', 'auth/approle/role/b1']) {
    assert.deepEqual(await read(path, 'token_policies'), []);
  }
  for (const path of ['auth/userpass/users/b1-new', 'auth/approle/role/b1-new']) await target.expect(404, 'GET', path);
  // In a list a comma is part of a name.
  await write('auth/approle/role/b1', { token_policies: ['a', 'A ', 'b,ROOT'] });
  assert.deepEqual(await read('auth/approle/role/b1', 'token_policies'), ['a', 'b,root']);
});

test('B4 whom failures lock out learns who may list it alone, and nobody else unlocks, in no spelling', async () => {
  const accessor = String(await read('sys/auth', 'approle/', 'accessor'));
  const { role_id, secret_id } = await role('b4', { role_id: 'B4-role' });
  const locked = async (): Promise<unknown> => read(`sys/locked-users?mount_accessor=${accessor}`, 'total');
  for (let i = 0; i < 5; i++) {
    assert.equal((await logIn('auth/approle/login', { role_id: 'b4-ROLE', secret_id })).status, 400);
  }
  assert.equal(await locked(), 0, 'another spelling is another name, which nobody has');
  for (let i = 0; i < 5; i++) {
    assert.equal((await logIn('auth/approle/login', { role_id, secret_id: 'wrong' })).status, 400);
  }
  assert.equal(await locked(), 1);
  const stranger = await target.tokenWith(`path "sys/locked-users/*" { ${WRITES} }
    path "sys/locked-users/+/unlock/b4-role" { capabilities = ["deny"] }`);
  await target.expect(403, 'GET', 'sys/locked-users', { token: stranger });
  for (const name of ['b4-role', 'B4-role', 'b4-rol%65', 'B4-ROLE']) {
    await target.expect(403, 'POST', `sys/locked-users/${accessor}/unlock/${name}`, { token: stranger });
  }
  for (const other of ['x', 'auth_approle_00000000']) {
    await target.expect(204, 'POST', `sys/locked-users/${other}/unlock/${role_id}`);
  }
  assert.equal(await locked(), 1);
  await target.expect(204, 'POST', `sys/locked-users/${accessor}/unlock/${role_id}`);
  assert.equal((await logIn('auth/approle/login', { role_id, secret_id })).status, 200);
});

test('B12 a secret id is found under its own mount alone, whatever the role is called', async () => {
  await write('sys/auth/other', { type: 'approle' });
  const one = await role('b12');
  await write('auth/other/role/b12', {});
  await write('auth/other/role/b12/role-id', { role_id: one.role_id });
  for (const path of ['auth/other/role/b12', 'auth/other/role/nobody']) {
    for (const [part, body] of [
      ['secret-id-accessor/lookup', { secret_id_accessor: one.accessor }],
      ['secret-id-accessor/destroy', { secret_id_accessor: one.accessor }],
      ['secret-id/lookup', { secret_id: one.secret_id }],
      ['secret-id/destroy', { secret_id: one.secret_id }],
    ] as const) {
      const { status, text } = await target.send('POST', `${path}/${part}`, { body });
      assert.ok(status === 404 || (status === 204 && text === ''), `${path}/${part}: ${status} ${text}`);
      const unknown = Object.fromEntries(Object.keys(body).map((name) => [name, '0'.repeat(36)]));
      const missed = await target.send('POST', `${path}/${part}`, { body: unknown });
      assert.deepEqual([missed.status, missed.text], [status, text]);
    }
    if (path.endsWith('nobody')) continue;
    assert.deepEqual((await target.send('LIST', `${path}/secret-id`)).status, 404);
  }
  assert.equal((await logIn('auth/other/login', one)).status, 400);
  assert.equal((await logIn('auth/approle/login', one)).status, 200);
});

test('a secret id that a role was narrowed below lets nobody in', async () => {
  const wide = await role('narrowed', {}, { cidr_list: ['127.0.0.0/8'], token_bound_cidrs: ['127.0.0.0/8'] });
  assert.equal((await logIn('auth/approle/login', wide)).status, 200);
  for (const name of ['token_bound_cidrs', 'secret_id_bound_cidrs']) {
    await write('auth/approle/role/narrowed', { [name]: ['127.0.0.1/32'] });
    assert.equal((await logIn('auth/approle/login', wide)).status, 400, name);
    await write('auth/approle/role/narrowed', { [name]: [] });
    assert.equal((await logIn('auth/approle/login', wide)).status, 200);
  }
  for (const name of ['cidr_list', 'token_bound_cidrs']) {
    await write('auth/approle/role/narrowed', {
      token_bound_cidrs: ['127.0.0.1'],
      secret_id_bound_cidrs: ['127.0.0.1'],
    });
    for (const block of ['127.0.0.0/31', '0.0.0.0/0', '::/0', '::ffff:0:0/96', '10.0.0.1']) {
      await write('auth/approle/role/narrowed/secret-id', { [name]: [block] }, 400);
    }
    await write('auth/approle/role/narrowed/secret-id', { [name]: ['::ffff:127.0.0.1/128'] }, 200);
  }
});
