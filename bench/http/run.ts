// CPU per request of our front and of node:http, both giving one static answer over keep-alive connections.
//
//   node dist/bench/http/run.js <load generator> [connections] [seconds] [rounds]     (or LOAD=<load generator>)
//
// The load generator turns the order of the servers round in each round and reports "cpu us/op" of each process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const { LOAD } = process.env;
const [load = LOAD, connections = '16', seconds = '4', rounds = '5'] = process.argv.slice(2);
if (load === undefined) throw new Error('name the load generator: run.js <path>, or LOAD=<path>');

async function start(kind: string): Promise<{ process: ChildProcess; address: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('serve.js', import.meta.url)), kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = await once(createInterface(child.stdout), 'line');
  return { process: child, address: String(address) };
}

const servers = [await start('node'), await start('bare'), await start('own')];
try {
  const options = [
    '--addr',
    servers.map((server) => server.address).join(','),
    '--name',
    'node:http,bare node:http,own',
  ];
  options.push('--pid', servers.map((server) => server.process.pid).join(','), '--only', 'health');
  options.push('--concurrency', connections, '--seconds', seconds, '--rounds', rounds);
  const [code] = await once(spawn(load, options, { stdio: 'inherit' }), 'exit');
  process.exitCode = Number(code);
} finally {
  for (const server of servers) server.process.kill();
}
