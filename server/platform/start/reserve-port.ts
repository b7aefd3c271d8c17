import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

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

/** What the person at the terminal can do about it. */
export function describeListenError(
  error: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} of ${host} is in use by another program. Stop it, or set PORT to another number.`,
      );
    case 'EACCES':
      return new StartError(`This user may not listen on port ${port}. Set PORT to a number over 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(
        `HOST ${host} is not an address of this machine. Set HOST to one of its addresses, or to 0.0.0.0.`,
      );
    default:
      return error;
  }
}
