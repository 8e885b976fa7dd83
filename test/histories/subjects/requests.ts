import { at, type Reply } from '../../faults/client.ts';
import type { Random } from '../../faults/random.ts';
import { type FamilyInput, familyModel } from '../models/family.ts';
import { type PolicyInput, policyModel } from '../models/policy.ts';
import { type SecretInput, secretsModel } from '../models/secrets.ts';
import { type UsesInput, usesModel } from '../models/uses.ts';
import type { Asked } from '../nodes/asker.ts';
import type { Result, Subject } from '../track.ts';

/** Root's token of the cluster, and a name that no other run has. */
export interface Place {
  readonly root: string;
  readonly name: string;
}

/** By the status of an answer; any other is shown as it is, and no model knows it. */
const words =
  (known: Readonly<Record<number, string>>) =>
  (reply: Reply): string =>
    known[reply.status] ?? unexpected(reply);

const unexpected = ({ status, json }: Reply): string => `status ${status} ${JSON.stringify(json)}`;

const NAMES = ['a', 'b', 'c'] as const;

/** Three secrets in one folder of `secret/`. */
export function secrets({ root, name: folder }: Place): Subject<Asked, unknown, SecretInput> {
  let values = 0;
  return {
    name: `secrets ${folder}`,
    model: secretsModel,
    spent: () => undefined,
    looks: [{ do: 'list' }, ...NAMES.map((name) => ({ do: 'read', name }) as const)],
    input(random) {
      const name = random.pick(NAMES);
      const kind = random.below(16);
      if (kind < 5) return { do: 'read', name };
      if (kind < 7) return { do: 'list' };
      if (kind === 7) return { do: 'delete', name };
      if (kind < 10) return { do: 'remove', name };
      values += 1;
      return { do: 'write', name, value: values, ...(kind < 13 ? {} : { cas: random.below(4) }) };
    },
    send(node, input) {
      if (input.do === 'list') {
        const names = (reply: Reply): string => {
          const keys = at(reply.json, 'data', 'keys');
          return reply.status === 200 && Array.isArray(keys) ? keys.join(',') : words({ 404: '' })(reply);
        };
        return node.ask({ method: 'LIST', path: `secret/metadata/${folder}`, token: root }, names);
      }
      const path = `secret/${input.do === 'remove' ? 'metadata' : 'data'}/${folder}/${input.name}`;
      if (input.do === 'read') return node.ask({ method: 'GET', path, token: root }, secretRead);
      if (input.do !== 'write') return node.ask({ method: 'DELETE', path, token: root }, words({ 204: 'done' }));
      const { value, cas } = input;
      const body = { data: { value }, ...(cas === undefined ? {} : { options: { cas } }) };
      return node.ask({ method: 'POST', path, body, token: root }, (reply) =>
        reply.status === 200 ? `version ${at(reply.json, 'data', 'version')}` : words({ 400: 'conflict' })(reply),
      );
    },
  };
}

function secretRead(reply: Reply): string {
  const version = at(reply.json, 'data', 'metadata', 'version');
  if (reply.status === 200) return `${version}:${at(reply.json, 'data', 'data', 'value')}`;
  if (reply.status !== 404) return unexpected(reply);
  return version === undefined ? 'none' : `${version}:deleted`;
}

/** A secret that holds one number, 0 where nobody has written it. */
const cell = (path: string) => ({
  write: (node: Asked, token: string, value: number, served: string): Promise<Result> =>
    node.ask(
      { method: 'POST', path: `secret/data/${path}`, body: { data: { value } }, token },
      words({ 200: served, 403: 'refused' }),
    ),
  see: (node: Asked, token: string): Promise<Result> =>
    node.ask({ method: 'GET', path: `secret/data/${path}`, token }, (reply) =>
      reply.status === 200 ? String(at(reply.json, 'data', 'data', 'value')) : words({ 404: '0' })(reply),
    ),
});

/** A token that was made in advance, the policy that it has, and a secret that this lets it write. */
export function policy({ root, name }: Place): Subject<Asked, unknown, PolicyInput> {
  const guarded = cell(name);
  const rule = (capabilities: string): string => `path "secret/data/${name}" { capabilities = [${capabilities}] }`;
  let values = 0;
  return {
    name: `policy ${name}`,
    model: policyModel,
    spent: () => undefined,
    looks: [{ do: 'see' }],
    input(random) {
      const kind = random.below(10);
      if (kind < 2) return { do: 'permit' };
      if (kind === 2) return { do: random.once(2) ? 'forbid' : 'remove' };
      if (kind < 6) return { do: 'see' };
      values += 1;
      return { do: 'use', value: values };
    },
    send(node, input) {
      if (input.do === 'use') return guarded.write(node, name, input.value, 'permitted');
      if (input.do === 'see') return guarded.see(node, root);
      const path = `sys/policies/acl/${name}`;
      const done = words({ 204: 'done' });
      if (input.do === 'remove') return node.ask({ method: 'DELETE', path, token: root }, done);
      const body = { policy: rule(input.do === 'permit' ? '"create", "update"' : '"deny"') };
      return node.ask({ method: 'POST', path, body, token: root }, done);
    },
  };
}

const makes = words({ 200: 'done', 400: 'taken', 403: 'refused' });
const uses = words({ 200: 'served', 403: 'refused' });

/** A token of a chosen value, made and revoked again and again, and one that it makes itself. */
export function family({ root, name }: Place): Subject<Asked, unknown, FamilyInput> {
  const guarded = cell(name);
  let values = 0;
  return {
    name: `family ${name}`,
    model: familyModel,
    spent: () => undefined,
    looks: [{ do: 'use', who: 'parent' }, { do: 'use', who: 'child' }, { do: 'see' }],
    input(random) {
      const who = random.pick(['parent', 'child'] as const);
      const what = random.pick(['use', 'use', 'write', 'write', 'see', 'create', 'create', 'revoke'] as const);
      if (what === 'see') return { do: what };
      if (what !== 'write') return { do: what, who };
      values += 1;
      return { do: what, who, value: values };
    },
    send(node, input) {
      if (input.do === 'see') return guarded.see(node, root);
      const token = `${name}-${input.who}`;
      switch (input.do) {
        case 'use':
          return node.ask({ method: 'GET', path: 'auth/token/lookup-self', token }, uses);
        case 'write':
          return guarded.write(node, token, input.value, 'served');
        case 'revoke':
          return revoke(node, root, token);
        case 'create': {
          const body = { id: token, no_parent: input.who === 'parent' };
          const by = input.who === 'parent' ? root : `${name}-parent`;
          return node.ask({ method: 'POST', path: 'auth/token/create', body, token: by }, makes);
        }
      }
    },
  };
}

const revoke = (node: Asked, root: string, token: string): Promise<Result> =>
  node.ask({ method: 'POST', path: 'auth/token/revoke', body: { token }, token: root }, words({ 204: 'done' }));

/** A token of a few uses, made anew when they are spent. */
export function countedUses({ root, name }: Place): Subject<Asked, unknown, UsesInput> {
  return {
    name: `uses ${name}`,
    model: usesModel,
    spent: (input) => (input.do === 'use' || input.do === 'ask' ? input : undefined),
    looks: [{ do: 'use' }],
    input(random: Random) {
      const kind = random.below(12);
      if (kind < 8) return { do: 'use' };
      if (kind === 8) return { do: 'ask' };
      if (kind === 9 && random.once(3)) return { do: 'revoke' };
      return { do: 'create', uses: 3 + random.below(6) };
    },
    send(node, input) {
      switch (input.do) {
        case 'use':
          return node.ask({ method: 'GET', path: 'auth/token/lookup-self', token: name }, uses);
        case 'ask':
          return node.ask({ method: 'GET', path: 'sys/mounts', token: name }, uses);
        case 'revoke':
          return revoke(node, root, name);
        case 'create': {
          const body = { id: name, num_uses: input.uses, policies: ['default'], no_parent: true };
          return node.ask({ method: 'POST', path: 'auth/token/create', body, token: root }, makes);
        }
      }
    },
  };
}
