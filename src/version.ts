import { readFileSync } from 'node:fs';

/** The version of this program, from its package. */
export const VERSION: string = versionIn(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

function versionIn(text: string): string {
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  throw new Error('package.json names no version');
}
