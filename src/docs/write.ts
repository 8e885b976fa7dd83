import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PAGES, pageFile } from './pages.ts';

/** `npm run docs`: brings the pages that are made from the program up to date. */
for (const [name, make] of PAGES) {
  const file = pageFile(name);
  const old = existsSync(file) ? readFileSync(file, 'utf8') : '';
  writeFileSync(file, make(old));
}
