import { StartError } from './start-error.ts';

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
