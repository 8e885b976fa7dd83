import { apiReference } from './api.ts';
import { fixedLimits } from './limits.ts';
import { fill } from './markdown.ts';
import { clientSettings, serverSettings } from './settings.ts';

/** The folder of the project; this runs from `dist/src/docs`. */
const ROOT = new URL('../../../', import.meta.url);

/** Where a page lies that is made wholly or partly from the program. */
export const pageFile = (name: string): URL => new URL(name, ROOT);

/** Each page made from the program, by its path: what it should be, given what it is. */
export const PAGES: ReadonlyMap<string, (page: string) => string> = new Map<string, (page: string) => string>([
  ['docs/api.md', apiReference],
  [
    'docs/operations.md',
    (page) =>
      fill(
        fill(fill(page, 'settings', serverSettings()), 'client settings', clientSettings()),
        'fixed limits',
        fixedLimits(),
      ),
  ],
]);
