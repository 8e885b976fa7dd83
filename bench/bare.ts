// A bare node:http handler that gives the same answer as sys/health of the server at argv[2], byte for byte but for what
// changes with time. Prints host:port when it listens.
import { createServer } from 'node:http';

const health = await fetch(`${process.argv[2]}/v1/sys/health`);
const body = await health.text();
const own: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);
const headers = Object.fromEntries([...health.headers].filter(([name]) => !own.has(name)));
// What the set-up of the load generator looks for in any other answer.
const setUp = JSON.stringify({ auth: { client_token: 's.static' } });
const server = createServer((request, response) => {
  if (request.method !== 'GET') return response.end(setUp);
  response.writeHead(health.status, headers);
  return response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  if (bound !== null && typeof bound !== 'string') console.log(`127.0.0.1:${bound.port}`);
});
