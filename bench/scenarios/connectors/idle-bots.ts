/** Bots that are polled and have no messages: each holds one request open, as the Bot API does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openClient } from '../../load/client.ts';
import type { Stage } from '../../stage.ts';
import { channelNames, connectChannels } from './channels.ts';

export async function connectBots(
  { service, workspace, pool }: Stage,
  count: number,
): Promise<{ close(): Promise<void> }> {
  const client = openClient(service.url, workspace.token);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = (result: unknown) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, result }));
      if (!request.url?.endsWith('/getUpdates')) {
        answer({ id: 1, is_bot: true, first_name: 'Bot', username: 'bench_bot' });
        return;
      }
      const { timeout = 0 } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
      const wait = setTimeout(() => answer([]), timeout * 1000);
      response.on('close', () => clearTimeout(wait));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await client.close();
  };
  try {
    let bots = 0;
    await connectChannels(client, pool, channelNames('bots', count), 'chatbot', null, () => ({
      kind: 'telegram',
      apiBase,
      credentials: { botToken: `${100_000 + bots++}:bench-token-of-thirty-five-characters` },
    }));
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
