import assert from 'node:assert/strict';
import { AT_ONCE, entityOf, type Party, statusOf, tokenOf, unique } from './party.ts';
import { type Answer, at } from './support.ts';

/** 64 first logins of one role: one entity, one alias. */
export async function firstLogins(party: Party): Promise<void> {
  const { path, accessor } = await party.method();
  const credentials = await party.role(path, 'new');
  const answers = await party.atOnce(() => party.logIn(path, credentials));
  assert.deepEqual(new Set(answers.map(statusOf)), new Set([200]));
  assert.equal(new Set(answers.map(entityOf)).size, 1);
  assert.equal(new Set(answers.map(tokenOf)).size, AT_ONCE);
  const listed = at((await party.send('LIST', 'identity/entity-alias/id')).json, 'data', 'key_info');
  const ofMethod = Object.values(Object(listed)).filter((info) => at(info, 'mount_accessor') === accessor);
  assert.equal(ofMethod.length, 1);
  const found = await party.ask('POST', 'identity/lookup/entity', {
    alias_name: credentials.role_id,
    alias_mount_accessor: accessor,
  });
  assert.equal(at(found, 'id'), answers[0] && entityOf(answers[0]));
  assert.equal(Array.from(Object(at(found, 'aliases'))).length, 1);
}

/** 64 machines of one role, each with metadata of its own in its secret id: all get in, and the alias has that of one of them. */
export async function manyMachines(party: Party): Promise<void> {
  const { path } = await party.method();
  const { role_id } = await party.role(path, 'machines');
  const machines = await party.atOnce(async (i) => {
    const made = await party.ask('POST', `${path}/role/machines/secret-id`, { metadata: { host: `host-${i}` } });
    return { role_id, secret_id: String(at(made, 'secret_id')) };
  });
  const answers = await Promise.all(machines.map((machine) => party.logIn(path, machine)));
  assert.deepEqual(new Set(answers.map(statusOf)), new Set([200]));
  const hosts = answers.map(({ json }) => at(json, 'auth', 'metadata', 'host'));
  assert.equal(new Set(hosts).size, AT_ONCE, 'each token has its own');
  const [entity] = answers.map(entityOf);
  const aliases = at(await party.ask('GET', `identity/entity/id/${String(entity)}`), 'aliases');
  assert.ok(hosts.includes(at(aliases, '0', 'metadata', 'host')));
}

/** 63 failures at once are 63, neither more nor fewer: the next one of 64 locks the role out (B4). */
export async function failuresAtOnce(party: Party): Promise<void> {
  const { path, accessor } = await party.method();
  await party.ask('POST', `sys/${path}/tune`, { user_lockout_config: { lockout_threshold: String(AT_ONCE) } });
  const credentials = await party.role(path, 'tried');
  const locked = async () => at(await party.ask('GET', `sys/locked-users?mount_accessor=${accessor}`), 'total');
  const wrong = { ...credentials, secret_id: 'wrong' };
  const failed = (await party.atOnce(() => party.logIn(path, wrong), AT_ONCE - 1)).map(statusOf);
  assert.deepEqual(new Set(failed), new Set([400]));
  assert.equal(await locked(), 0);
  assert.equal((await party.logIn(path, wrong)).status, 400);
  assert.equal(await locked(), 1);
  const right = await party.atOnce(() => party.logIn(path, credentials), 8);
  assert.deepEqual(new Set(right.map(statusOf)), new Set([400]));
  await party.ask('POST', `sys/locked-users/${accessor}/unlock/${credentials.role_id}`, {});
  assert.equal((await party.logIn(path, credentials)).status, 200);
}

/** 64 who make the entity, the group or the alias of one name: one is made. */
export async function oneOfAName(party: Party): Promise<void> {
  for (const kind of ['entity', 'group']) {
    const name = unique(kind);
    const answers = await party.atOnce((i) =>
      party.send('POST', `identity/${kind}`, { name: i % 2 === 0 ? name : name.toUpperCase() }),
    );
    const statuses = answers.map(statusOf);
    assert.equal(statuses.filter((status) => status === 200).length, 1, kind);
    assert.equal(statuses.filter((status) => status === 204).length, AT_ONCE - 1, kind);
  }
  const { accessor } = await party.method();
  const name = unique('alias');
  const answers = await party.atOnce(() =>
    party.send('POST', 'identity/entity-alias', { name, mount_accessor: accessor }),
  );
  const entities = answers.flatMap(({ json }) => at(json, 'data', 'canonical_id') ?? []);
  assert.equal(new Set(entities).size, 1);
}

/** While roles log in their group is changed again and again: both sides agree, and who has left has lost it (B3). */
export async function membershipsDuringLogins(party: Party): Promise<void> {
  const { path } = await party.method();
  const policy = unique('policy');
  await party.ask('POST', `sys/policies/acl/${policy}`, {
    policy: `path "secret/data/${policy}" { capabilities = ["create", "update"] }`,
  });
  const roles = await party.atOnce((i) => party.role(path, `member-${i}`), 8);
  const entities = (await Promise.all(roles.map((role) => party.logIn(path, role)))).map((one) =>
    String(entityOf(one)),
  );
  const group = String(
    at(await party.ask('POST', 'identity/group', { name: unique('group'), policies: [policy] }), 'id'),
  );
  const change = (member_entity_ids: readonly string[]) =>
    party.send('POST', `identity/group/id/${group}`, { member_entity_ids });
  const logins: Answer[] = [];
  const statuses = await party.atOnce(async (i) => {
    if (i % 4 === 0) return (await change(entities.filter((_, j) => (i >> 2) & (1 << (j % 4))))).status;
    const login = await party.logIn(path, roles[i % roles.length] ?? assert.fail());
    logins.push(login);
    return login.status;
  });
  assert.ok(
    statuses.every((status) => status === 200 || status === 204),
    `${statuses}`,
  );
  const members = at(await party.ask('GET', `identity/group/id/${group}`), 'member_entity_ids');
  for (const id of entities) {
    const groups = Array.from(Object(at(await party.ask('GET', `identity/entity/id/${id}`), 'group_ids')));
    assert.equal(groups.includes(group), Array.from(Object(members)).includes(id), 'the group and the entity agree');
  }
  for (const wanted of [entities, []]) {
    assert.equal((await change(wanted)).status, 204);
    const may = await Promise.all(
      logins.map((login) => party.send('POST', `secret/data/${policy}`, { data: {} }, tokenOf(login))),
    );
    assert.deepEqual(new Set(may.map(statusOf)), new Set([wanted.length > 0 ? 200 : 403]));
  }
}

/** While others log in, each change of a group, of its parents and of its end holds everywhere with its answer (B3). */
export async function groupsDuringLogins(party: Party): Promise<void> {
  const { path } = await party.method();
  const policy = unique('policy');
  await party.ask('POST', `sys/policies/acl/${policy}`, {
    policy: `path "secret/data/${policy}" { capabilities = ["read"] }`,
  });
  const role = await party.role(path, 'member');
  const login = await party.logIn(path, role);
  const create = async (body: object): Promise<string> =>
    String(at(await party.ask('POST', 'identity/group', body), 'id'));
  const inner = await create({ member_entity_ids: [entityOf(login)] });
  const middle = await create({ member_group_ids: [inner] });
  const outer = await create({ member_group_ids: [middle], policies: [policy] });
  const changes: readonly (readonly [id: string, take: object, give: object])[] = [
    [outer, { policies: [] }, { policies: [policy] }],
    [outer, { member_group_ids: [] }, { member_group_ids: [middle] }],
    [middle, { member_group_ids: [] }, { member_group_ids: [inner] }],
    [inner, { member_entity_ids: [] }, { member_entity_ids: [entityOf(login)] }],
  ];
  let ended = false;
  const noise = Array.from({ length: 4 }, async () => {
    while (!ended) assert.equal((await party.logIn(path, role)).status, 200);
  });
  try {
    for (let round = 0; round < 2; round++) {
      for (const [id, take, give] of changes) {
        for (const [body, status] of [
          [take, 403],
          [give, 404],
        ] as const) {
          await party.ask('POST', `identity/group/id/${id}`, body);
          const seen = await party.everywhere('GET', `secret/data/${policy}`, tokenOf(login));
          assert.deepEqual(new Set(seen), new Set([status]), JSON.stringify(body));
        }
      }
    }
    await party.ask('DELETE', `identity/group/id/${middle}`);
    const seen = await party.everywhere('GET', `secret/data/${policy}`, tokenOf(login));
    assert.deepEqual(new Set(seen), new Set([403]));
  } finally {
    ended = true;
    await Promise.all(noise);
  }
}

/** An entity is merged into another while it logs in: its tokens of before and after stand for the one that stays (B2). */
export async function mergeDuringLogins(party: Party): Promise<void> {
  const [one, two] = [await party.method(), await party.method()];
  const [stays, goes] = [await party.role(one.path, 'stays'), await party.role(two.path, 'goes')];
  const into = String(entityOf(await party.logIn(one.path, stays)));
  const from = String(entityOf(await party.logIn(two.path, goes)));
  let merged = 0;
  const logins = (
    await party.atOnce(async (i) => {
      if (i !== AT_ONCE / 4) return [await party.logIn(two.path, goes)];
      const { status, text } = await party.send('POST', 'identity/entity/merge', {
        to_entity_id: into,
        from_entity_ids: [from],
      });
      assert.equal(status, 204, text);
      merged += 1;
      return [];
    })
  ).flat();
  assert.equal(merged, 1);
  for (const login of logins) {
    assert.equal(login.status, 200, login.text);
    assert.ok(entityOf(login) === from || entityOf(login) === into);
  }
  assert.equal(entityOf(await party.logIn(two.path, goes)), into);
  assert.equal((await party.send('GET', `identity/entity/id/${from}`)).status, 404);
  const alive = await Promise.all(
    logins.map((login) => party.send('GET', 'auth/token/lookup-self', undefined, tokenOf(login))),
  );
  assert.deepEqual(new Set(alive.map(statusOf)), new Set([200]));
  await party.ask('POST', `identity/entity/id/${into}`, { disabled: true });
  const after = await Promise.all(
    logins.map((login) => party.send('GET', 'auth/token/lookup-self', undefined, tokenOf(login))),
  );
  assert.deepEqual(new Set(after.map(statusOf)), new Set([403]), 'all of them are tokens of the one that stays');
}

/** A role is deleted while it logs in, and made again with the same ids: nothing of the first lets anybody in (B10). */
export async function roleDeletedDuringLogins(party: Party): Promise<void> {
  const { path } = await party.method();
  const credentials = await party.role(path, 'gone');
  let ended = false;
  const late: number[] = [];
  await party.atOnce(async (i) => {
    if (i === AT_ONCE / 4) {
      await party.ask('DELETE', `${path}/role/gone`);
      ended = true;
      return;
    }
    if (i > AT_ONCE / 4) await party.send('GET', 'sys/health');
    const after = ended;
    const { status } = await party.logIn(path, credentials);
    assert.ok(status === 200 || status === 400);
    if (after) late.push(status);
  });
  assert.ok(
    late.every((status) => status === 400),
    `after the answer of the deletion: ${late}`,
  );
  await party.ask('POST', `${path}/role/gone`, { role_id: credentials.role_id });
  assert.equal((await party.logIn(path, credentials)).status, 400);
  assert.deepEqual(await party.list(`${path}/role/gone/secret-id`), []);
  assert.equal(
    (await party.send('POST', `${path}/role/gone/secret-id/lookup`, { secret_id: credentials.secret_id })).status,
    204,
  );
}

/**
 * All below a path is revoked, or the method unmounted, while it logs in: what was given before the call is dead after it, on
 * every node; what was asked for after its answer lives.
 */
export async function revokedDuringLogins(party: Party, way: 'prefix' | 'force' | 'unmount'): Promise<void> {
  const { path } = await party.method();
  const credentials = await party.role(path, 'many');
  const before: string[] = [];
  const after: string[] = [];
  let begun = false;
  let ended = false;
  await party.atOnce(async (i) => {
    for (let round = 0; round < 4; round++) {
      if (i === 0 && round === 1) {
        begun = true;
        if (way === 'unmount') await party.ask('DELETE', `sys/${path}`);
        else await party.ask('POST', `sys/leases/revoke-${way}/${path}`, {});
        ended = true;
      }
      const late = ended;
      const login = await party.logIn(path, credentials);
      if (way === 'unmount' && late) assert.equal(login.status, 403);
      if (login.status !== 200) continue;
      if (late) after.push(tokenOf(login));
      else if (!begun) before.push(tokenOf(login));
    }
  }, 32);
  const last = await party.logIn(path, credentials);
  if (way === 'unmount') assert.equal(last.status, 403);
  else after.push(tokenOf(last));
  assert.ok(before.length > 0);
  const lives = async (token: string): Promise<boolean> => {
    const statuses = new Set(await party.everywhere('GET', 'auth/token/lookup-self', token));
    assert.equal(statuses.size, 1, 'all nodes agree');
    return statuses.has(200);
  };
  for (const token of before) assert.equal(await lives(token), false, `${way}: what was given before is dead`);
  for (const token of after) assert.equal(await lives(token), true, `${way}: what was given after lives`);
}

/** All races that need nothing but approle. */
export const LOGIN_RACES: readonly (readonly [name: string, race: (party: Party) => Promise<void>])[] = [
  ['64 first logins of one role make one entity with one alias', firstLogins],
  ['64 machines of one role, told apart by their metadata, get in', manyMachines],
  ['B4 63 failures at once are 63', failuresAtOnce],
  ['64 who make one name make one', oneOfAName],
  ['B3 groups change during logins, and who has left has lost them', membershipsDuringLogins],
  ['B3 what changes of a group, above it or with its end holds everywhere at once', groupsDuringLogins],
  ['B2 an entity is merged during its logins', mergeDuringLogins],
  ['B10 a role is deleted during its logins and made again', roleDeletedDuringLogins],
  [
    'revoke-prefix during logins ends what was before and nothing else',
    (party) => revokedDuringLogins(party, 'prefix'),
  ],
  ['revoke-force during logins ends what was before and nothing else', (party) => revokedDuringLogins(party, 'force')],
  ['B10 a method is unmounted during logins', (party) => revokedDuringLogins(party, 'unmount')],
];
