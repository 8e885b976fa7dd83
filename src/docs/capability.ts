import { CAPABILITIES } from '../core/authorize.ts';
import type { Verb } from '../framework/endpoint.ts';
import type { Documented } from './sections.ts';

/** The methods of a verb, as they are sent. */
export const METHODS: Readonly<Record<Verb, string>> = {
  read: 'GET',
  list: 'LIST',
  scan: 'SCAN',
  write: 'POST',
  patch: 'PATCH',
  remove: 'DELETE',
};

/** Who may call an endpoint, in words. */
export function whoMayCall({ access, verb, sudo, tellsNew }: Documented): string {
  switch (access) {
    case 'status':
      return 'anybody';
    case 'none':
      return 'anybody; no token is looked at';
    case 'optional':
      return 'anybody; with a token, what it may see';
    case 'token':
      return 'any valid token';
    case 'policy': {
      const wanted = tellsNew ? '`create` where it is new, `update` where it exists' : `\`${CAPABILITIES[verb]}\``;
      return sudo ? `${wanted}, and \`sudo\`` : wanted;
    }
  }
}
