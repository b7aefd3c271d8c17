// Servers for the other end of an outbound call: one that must never be reached, and ones that misbehave.
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

async function listen(
  server: Server,
  options: { host: string; port?: number; ipv6Only?: boolean },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port: 0, ...options }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

export interface Canary {
  port: number;
  /** Connections seen so far; exact, because it first waits for its own, which comes after all others. */
  hits(): Promise<number>;
  close(): Promise<void>;
}

/** Listens on every IPv4 address and on the IPv6 loopback, on one port. */
export async function startCanary(): Promise<Canary> {
  let seen = 0;
  const listener = (socket: Socket) => {
    seen += 1;
    socket
      .on('error', () => {})
      .resume()
      .end('canary');
  };
  const four = createServer(listener);
  const six = createServer(listener);
  const port = await listen(four, { host: '0.0.0.0' });
  const hosts = ['127.0.0.1'];
  try {
    await listen(six, { host: '::1', port, ipv6Only: true });
    hosts.push('::1');
  } catch (error) {
    // A machine without IPv6 cannot be reached over it either.
    if (!['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  let own = 0;
  return {
    port,
    async hits() {
      for (const host of hosts) {
        own += 1;
        await new Promise<void>((resolve, reject) => {
          connect({ host, port }).on('error', reject).on('close', resolve).resume();
        });
      }
      return seen - own;
    },
    async close() {
      await Promise.all([four, six].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

export interface Receiver {
  port: number;
  origin: string;
  connections: number;
  /** Resolves when no connection is left open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

async function track(server: Server, host: string): Promise<Receiver> {
  const open = new Set<Socket>();
  let waiting: (() => void)[] = [];
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      if (open.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
  });
  const port = await listen(server, { host });
  const receiver: Receiver = {
    port,
    origin: `http://${host}:${port}`,
    connections: 0,
    idle: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

export const startReceiver = (listener: RequestListener, host = '127.0.0.1'): Promise<Receiver> =>
  track(createHttpServer(listener), host);

/** For what an HTTP server would not send: `listener` gets the bare socket. */
export const startRawReceiver = (listener: (socket: Socket) => void, host = '127.0.0.1'): Promise<Receiver> =>
  track(createServer(listener), host);
