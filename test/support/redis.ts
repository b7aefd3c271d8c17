/** A server with the part of the Redis protocol that publishing and subscribing need. */
import type { Socket } from 'node:net';
import { type Receiver, startRawReceiver } from './receivers.ts';

export interface PubSubServer extends Receiver {
  url: string;
  published: string[];
  /** Those that somebody has listened to. */
  channels: Set<string>;
  openConnections(): number;
}

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

export async function startPubSubServer(): Promise<PubSubServer> {
  const subscribers = new Map<string, Set<Socket>>();
  const published: string[] = [];
  const channels = new Set<string>();
  const sockets = new Set<Socket>();
  const answer = (socket: Socket, [name = '', ...args]: string[]): string => {
    const [channel = '', text = ''] = args;
    switch (name.toUpperCase()) {
      case 'INFO':
        return bulk('redis_version:7.2.0\r\nloading:0\r\n');
      case 'SUBSCRIBE':
        return args
          .map((one, index) => {
            channels.add(one);
            subscribers.set(one, (subscribers.get(one) ?? new Set()).add(socket));
            return `*3\r\n${bulk('subscribe')}${bulk(one)}:${index + 1}\r\n`;
          })
          .join('');
      case 'UNSUBSCRIBE':
        subscribers.get(channel)?.delete(socket);
        return `*3\r\n${bulk('unsubscribe')}${bulk(channel)}:0\r\n`;
      case 'PUBLISH': {
        published.push(text);
        const listening = [...(subscribers.get(channel) ?? [])].filter((one) => !one.destroyed);
        for (const one of listening) one.write(`*3\r\n${bulk('message')}${bulk(channel)}${bulk(text)}`);
        return `:${listening.length}\r\n`;
      }
      case 'HELLO':
        return "-ERR unknown command 'HELLO'\r\n";
      default:
        return '+OK\r\n';
    }
  };
  const receiver = await startRawReceiver((socket) => {
    let rest = '';
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1');
      for (;;) {
        const command = readCommand(rest);
        if (!command) return;
        rest = rest.slice(command.length);
        socket.write(answer(socket, command.parts));
      }
    });
  });
  return Object.assign(receiver, {
    url: `redis://127.0.0.1:${receiver.port}`,
    published,
    channels,
    openConnections: () => sockets.size,
  });
}

/** `text` is latin1: one character per byte, as the lengths count. */
function readCommand(text: string): { parts: string[]; length: number } | null {
  const count = /^\*(\d+)\r\n/.exec(text);
  if (!count) return null;
  const parts: string[] = [];
  let at = count[0].length;
  while (parts.length < Number(count[1])) {
    const length = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (!length) return null;
    const from = at + length[0].length;
    at = from + Number(length[1]) + 2;
    if (text.length < at) return null;
    parts.push(Buffer.from(text.slice(from, at - 2), 'latin1').toString('utf8'));
  }
  return { parts, length: at };
}
