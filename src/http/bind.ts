import type { Server } from 'node:net';

const BACKLOG = 4_096;

/**
 * Listens, and answers the address as bound: host:port, an IPv6 address in brackets. Rejects with the system's error where
 * it cannot be bound.
 */
export function bind(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.removeAllListeners('error');
      // Later errors are failed accepts (no descriptors left): the listener goes on.
      server.on('error', () => {});
      resolve(addressOf(server));
    });
  });
}

function addressOf(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return '';
  return `${bound.address.includes(':') ? `[${bound.address}]` : bound.address}:${bound.port}`;
}
