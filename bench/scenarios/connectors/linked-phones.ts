/** Channels with linked phones on a gateway inside the measuring process. */
import { Pool } from 'undici';
import { upsert } from '../../../test/support/providers/evolution-messages.ts';
import {
  type EvolutionServer,
  startEvolutionServer,
} from '../../../test/support/providers/evolution-server.ts';
import { openClient } from '../../load/client.ts';
import type { Stage } from '../../stage.ts';
import { channelNames, connectChannels } from './channels.ts';

export interface Phones {
  gateway: EvolutionServer;
  names: string[];
  /** A customer's message; how long the answer took. */
  say(name: string, customer: string, text: string): Promise<number>;
  close(): Promise<void>;
}

/** Without `agentId` no one answers. */
export async function connectPhones(stage: Stage, count: number, agentId: string | null): Promise<Phones> {
  const { service, workspace } = stage;
  const client = openClient(service.url, workspace.token);
  const gateway = await startEvolutionServer();
  gateway.serviceUrl = service.url;
  const pool = new Pool(service.url, { connections: 64 });
  const close = async () => {
    await pool.close();
    await gateway.close();
    await client.close();
  };
  const names = channelNames('phones', count);
  try {
    await connectChannels(client, stage.pool, names, 'chatapp_no', agentId, (instanceName) => {
      gateway.addInstance(instanceName, 'open');
      const credentials = { apiKey: gateway.apiKey };
      return { kind: 'evolution', apiBase: gateway.url, instanceName, credentials };
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    gateway,
    names,
    async say(name, customer, text) {
      const { webhook, token } = gateway.instances.get(name)!;
      const data = upsert({ conversation: text }, { from: `${customer}@s.whatsapp.net` });
      const began = performance.now();
      const response = await pool.request({
        method: 'POST',
        path: new URL(webhook!.url).pathname,
        headers: { 'content-type': 'application/json', ...webhook!.headers },
        body: JSON.stringify({ event: 'messages.upsert', instance: name, data, apikey: token }),
      });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`a webhook was answered ${response.statusCode}`);
      return performance.now() - began;
    },
    close,
  };
}

/** The number of the customer with this index. */
export const customerNumber = (index: number): string => `5511${String(900_000_000 + index)}`;
