import { at } from '../client.ts';
import type { Subject } from '../witness.ts';

/** A policy of this name: written anew and deleted; its text, or none. */
export const policy = (name: string): Subject<string | undefined> => ({
  name: `policy ${name}`,
  first: undefined,
  operation: (_, random) => {
    const path = `sys/policies/acl/${name}`;
    if (random.once(4)) return { call: { method: 'DELETE', path }, status: 204, after: undefined };
    const text = `path "secret/data/${random.below(1e9)}" { capabilities = ["read"] }`;
    return { call: { method: 'POST', path, body: { policy: text } }, status: 204, after: text };
  },
  view: (text) => text,
  async observe(client) {
    const { status, json } = await client.send({ method: 'GET', path: `sys/policies/acl/${name}` });
    return status === 404 ? undefined : at(json, 'data', 'policy');
  },
});
