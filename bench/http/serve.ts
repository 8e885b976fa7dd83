// One server of the comparison: own, node (node:http with the same answer) or bare (without our standard headers). Prints host:port when it listens.
import { createServer } from 'node:http';
import { listen, STANDARD_HEADERS } from '../../src/http/listener.ts';
import { ANSWER } from './answer.ts';

if (process.argv[2] === 'own') {
  const listener = await listen({ host: '127.0.0.1', port: 0, handler: async () => ({ status: 200, body: ANSWER }) });
  console.log(listener.address);
} else {
  // The same answer, headers included: without them a front that leaves them out would look faster.
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(ANSWER),
    ...(process.argv[2] === 'node' ? Object.fromEntries(STANDARD_HEADERS) : {}),
  };
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(ANSWER);
  });
  server.listen(0, '127.0.0.1', () => {
    const bound = server.address();
    if (bound !== null && typeof bound !== 'string') console.log(`127.0.0.1:${bound.port}`);
  });
}
