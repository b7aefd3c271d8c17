/**
 * Messages of customers as a provider delivers them to a WhatsApp number: signed, stored and answered. Sides of the role
 * `api` do no more with them.
 */
import { signMeta } from '../../test/support/providers/meta-server.ts';
import {
  changeOf,
  deliveryOf,
  messageOf,
  numberIds,
  valueWith,
} from '../../test/support/providers/whatsapp-messages.ts';
import { startWhatsappServer } from '../../test/support/providers/whatsapp-server.ts';
import { openClient } from '../load/client.ts';
import type { LoadRequest } from '../load/load.ts';
import type { Twin } from '../stage.ts';

export async function signedMessages({ service, workspace }: Twin, count: number): Promise<LoadRequest[]> {
  const { channelId, appSecret } = await createNumber(service.url, workspace.token);
  return Array.from({ length: count }, (_, index) => {
    const from = `5511${900_000_000 + index}`;
    const body = JSON.stringify(deliveryOf(changeOf(valueWith([messageOf('Hello')], { from }))));
    const headers = { 'x-hub-signature-256': signMeta(appSecret, body) };
    return { method: 'POST', path: `/connect/${channelId}`, headers, body };
  });
}

/** The provider is asked about the number only when the channel is created. */
async function createNumber(url: string, token: string): Promise<{ channelId: string; appSecret: string }> {
  const client = openClient(url, token);
  const provider = await startWhatsappServer();
  const { accessToken, appSecret, verifyToken } = provider;
  try {
    const { body: agent } = await client.call('POST', '/agents', { name: 'Quiet', provider: 'offline' });
    const { body: channel } = await client.call('POST', '/channels', {
      name: 'WhatsApp',
      identifier: 'whatsapp',
      type: 'chatapp',
      defaultAgentId: agent.id,
      connector: {
        kind: 'whatsapp_cloud',
        ...numberIds,
        apiBase: provider.url,
        credentials: { accessToken, appSecret, verifyToken },
      },
    });
    return { channelId: channel.id, appSecret };
  } finally {
    await provider.close();
    await client.close();
  }
}
