// Races of logins with each other, and with what ends them, on one process; those on workers and nodes are the same.
import { test } from 'node:test';
import { LOGIN_RACES } from './login-races.ts';
import { Party } from './party.ts';
import { ROOT, startTarget } from './support.ts';

const target = await startTarget();
const party = new Party([target], ROOT);

for (const [name, race] of LOGIN_RACES) test(name, () => race(party));
