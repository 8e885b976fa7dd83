import { deterministic } from '../history.ts';

/** What a client does in one folder of KV version 2. */
export type SecretInput =
  | { readonly do: 'write'; readonly name: string; readonly value: number; readonly cas?: number }
  | { readonly do: 'read' | 'delete' | 'remove'; readonly name: string }
  | { readonly do: 'list' };

interface Secret {
  readonly version: number;
  /** Of the latest version; undefined where it is deleted. */
  readonly value: number | undefined;
}

type Folder = ReadonlyMap<string, Secret>;

/**
 * A folder of secrets: `write` numbers versions, `delete` hides the latest, `remove` forgets the secret with its versions
 * (document 3, KV). Listing makes the whole folder one object.
 */
export const secretsModel = deterministic<Folder, SecretInput>({
  initial: new Map(),
  name: (folder) =>
    [...folder]
      .map(([name, { version, value }]) => `${name}=${version}:${value ?? 'deleted'}`)
      .sort()
      .join(' '),
  reads: (input, output) => input.do === 'read' || input.do === 'list' || output === 'conflict',
  apply(folder, input) {
    if (input.do === 'list') return { state: folder, output: [...folder.keys()].sort().join(',') };
    const { name } = input;
    const found = folder.get(name);
    const become = (secret: Secret): Folder => new Map(folder).set(name, secret);
    switch (input.do) {
      case 'read':
        return { state: folder, output: found === undefined ? 'none' : `${found.version}:${found.value ?? 'deleted'}` };
      case 'write': {
        const version = found?.version ?? 0;
        if (input.cas !== undefined && input.cas !== version) return { state: folder, output: 'conflict' };
        return { state: become({ version: version + 1, value: input.value }), output: `version ${version + 1}` };
      }
      case 'delete':
        return { state: found === undefined ? folder : become({ ...found, value: undefined }), output: 'done' };
      case 'remove':
        return { state: new Map([...folder].filter(([other]) => other !== name)), output: 'done' };
    }
  },
});
