// Whether the time of a refused login tells who there is, and who is locked out (known-attacks H1): interleaved attempts of
// each kind, compared by the test of Mann and Whitney.
//
//   node dist/bench/login-timing.js [--roles 5000] [--passwords 100]
//
// 5,000 attempts by password take about half an hour of two cores.
import { parseArgs } from 'node:util';
import { machine, median, table } from './figures.ts';
import { LoginServer } from './login-server.ts';
import { mannWhitney } from './mann-whitney.ts';

const count = { type: 'string' } as const;
const { values } = parseArgs({ options: { roles: count, passwords: count } });
const { roles = '5000', passwords = '100' } = values;
const LEAST_P = 0.01;

/** Milliseconds of each of two kinds of attempts, taking turns in a changing order. */
async function compare(times: number, kinds: readonly [() => Promise<string>, () => Promise<string>]) {
  const taken: [number[], number[]] = [[], []];
  for (let i = 0; i < times + 20; i++) {
    for (const kind of i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const begun = performance.now();
      await kinds[kind]();
      if (i >= 20) taken[kind].push(performance.now() - begun);
    }
  }
  return taken;
}

const open = await LoginServer.start(1_000_000);
const locked = await LoginServer.start(1);
try {
  console.log(machine());
  await locked.byPassword(400, 'ada', 'wrong');
  await locked.byRole(400, locked.roleId, 'wrong');
  const rows = [['refused', 'attempts of each', 'medians in ms', 'p', '']];
  for (const [what, times, one, other] of [
    [
      'by role: there is such a role, or none',
      Number(roles),
      () => open.byRole(400, open.roleId, 'wrong'),
      () => open.byRole(400, 'nobody', 'wrong'),
    ],
    [
      'by role, locked out: wrong secret id, or right',
      Number(roles),
      () => locked.byRole(400, locked.roleId, 'wrong'),
      () => locked.byRole(400, locked.roleId, locked.secretId),
    ],
    [
      'by role: locked out, or no such role',
      Number(roles),
      () => locked.byRole(400, locked.roleId, 'wrong'),
      () => locked.byRole(400, 'nobody', 'wrong'),
    ],
    [
      'by password: there is such a user, or none',
      Number(passwords),
      () => open.byPassword(400, 'ada', 'wrong'),
      () => open.byPassword(400, 'nobody', 'wrong'),
    ],
    [
      'by password, locked out: wrong password, or right',
      Number(passwords),
      () => locked.byPassword(400, 'ada', 'wrong'),
      () => locked.byPassword(400, 'ada', 'right'),
    ],
  ] as const) {
    const [a, b] = await compare(times, [one, other]);
    const p = mannWhitney(a, b);
    rows.push([
      what,
      String(times),
      `${median(a).toFixed(3)}, ${median(b).toFixed(3)}`,
      p.toFixed(4),
      p > LEAST_P ? '' : 'TOLD APART',
    ]);
  }
  console.log(table(rows));
} finally {
  await open.stop();
  await locked.stop();
}
