import { createServer } from 'node:net';
import { describeListenError } from './listen-error.ts';

export interface ReservedPort {
  port: number;
  /** Right before the service listens itself. A second call does nothing. */
  release(): Promise<void>;
}

/**
 * Whether the service can listen there, before it creates anything. For port 0 it takes one that is free and keeps it,
 * so that addresses can be made with it before the service listens.
 */
export async function reservePort(wanted: { host: string; port: number }): Promise<ReservedPort> {
  // A connection made by chance must not keep it open.
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(describeListenError(error, wanted)));
    server.listen(wanted, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : wanted.port;
  const release = () => new Promise<void>((resolve) => server.close(() => resolve()));
  if (wanted.port !== 0) await release();
  return { port, release };
}
