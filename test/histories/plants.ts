import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One change of a compiled file, by the text that it replaces, which has to stand there once. */
interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const STORE = 'src/storage/transaction.js';
const BUFFERED = 'src/storage/buffered.js';
const POSTGRES = 'src/storage/postgres.js';

/** Bugs that the histories have to show, by name. */
export const plants: ReadonlyMap<string, readonly Patch[]> = new Map<string, readonly Patch[]>([
  // Neither ranges nor listings are validated at the commit.
  ['skip-ranges', [{ file: BUFFERED, from: 'this.#seen.push(read);', to: '{}' }]],
  // The first record that a transaction got is not validated.
  ['skip-one-key', [{ file: BUFFERED, from: 'of this.#got)', to: 'of [...this.#got].slice(1))' }]],
  // A transaction is answered before its commit was applied, and whether it won.
  [
    'answer-early',
    [
      {
        file: STORE,
        from: 'this.#waiting.push({ commit, resolve: (won) => resolve([won]), reject });',
        to: 'this.#waiting.push({ commit, resolve: () => {}, reject: () => {} }); resolve([true]);',
      },
    ],
  ],
  // What was read in several trips is not validated where nothing is written.
  ['trust-mixed', [{ file: 'src/storage/postgres/snapshot.js', from: 'return this.#mixed;', to: 'return false;' }]],
  // A transaction that depends on an earlier one of the same call is not told.
  [
    'skip-steps',
    [
      {
        file: 'src/storage/postgres/steps.js',
        from: 'return { slots: slots.size, events };',
        to: 'return { slots: 0, events: [] };',
      },
    ],
  ],
  // A commit whose outcome is unknown is made again under a new number.
  [
    'new-number',
    [
      {
        file: POSTGRES,
        from: "const [row] = await this.#connections.run({ text, values }, 'write')",
        to: "const at = values.indexOf(this.#node) + 1; const [row] = await this.#connections.run({ text, get values() { values[at] += 1; return [...values]; } }, 'write').finally(() => { this.#calls = values[at]; })",
      },
    ],
  ],
  // A process reads on in the snapshot that it had.
  ['stale-snapshot', [{ file: 'src/storage/lmdb.js', from: 'this.#db.resetReadTxn();', to: '' }]],
  // A token that was read once is not read again.
  [
    'cache-token',
    [
      {
        file: 'src/tokens/store.js',
        from: 'export const readToken = (tx, key) => tx.cached(key, decodeToken);',
        to: 'const kept = new Map(); export const readToken = async (tx, key) => { const found = kept.get(key) ?? (await tx.cached(key, decodeToken)); if (found !== undefined) kept.set(key, found); return found; };',
      },
    ],
  ],
  // Access lists are kept whatever the revision says.
  [
    'keep-policies',
    [{ file: 'src/core/state.js', from: 'if (known?.raw.equals(raw))', to: 'if (known !== undefined)' }],
  ],
  // The uses of a token are counted in the memory of a node.
  [
    'count-in-memory',
    [
      {
        file: 'src/tokens/authenticate.js',
        from: 'const left = { ...record, numUses: record.numUses - 1 };',
        to: 'const spent = (counts.get(record.accessor) ?? 0) + 1; counts.set(record.accessor, spent); const left = { ...record, numUses: record.numUses - spent }; if (left.numUses > 0) return { ...bearer, record: left };',
      },
      {
        file: 'src/tokens/authenticate.js',
        from: 'export function spendUse',
        to: 'const counts = new Map();\nexport function spendUse',
      },
    ],
  ],
]);

/** The files of the compiled program that a bug changes, as they are with it. */
export function filesWith(name: string, compiled: string): ReadonlyMap<string, string> {
  const patches = plants.get(name);
  if (patches === undefined) throw new Error(`there is no bug called ${name}`);
  const texts = new Map<string, string>();
  for (const { file, from, to } of patches) {
    const text = texts.get(file) ?? readFileSync(join(compiled, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold the text once that ${name} replaces`);
    texts.set(
      file,
      text.replace(from, () => to),
    );
  }
  return texts;
}

/**
 * A copy of the compiled program with the bug in it, removed when this process ends.
 * @returns its folder
 */
export function plantBug(name: string, compiled: string): string {
  const texts = filesWith(name, compiled);
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-planted-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'dist');
  cpSync(compiled, copy, { recursive: true });
  cpSync(join(compiled, '..', 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(compiled, '..', 'node_modules'), join(folder, 'node_modules'));
  for (const [file, text] of texts) writeFileSync(join(copy, file), text);
  return copy;
}
