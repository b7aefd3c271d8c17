/** Channels with linked phones on a gateway inside the measuring process. */
import { Pool } from 'undici';
import { upsert } from '../../../test/support/providers/evolution-messages.ts';
import {
  type EvolutionServer,
  startEvolutionServer,
} from '../../../test/support/providers/evolution-server.ts';
import { openClient } from '../../load/client.ts';
import type { Stage } from '../../stage.ts';

const connectWithinMs = 120_000;

const quietAgent = { name: 'Quiet', provider: 'offline', batchWindowMs: 60_000 };

export interface Phones {
  gateway: EvolutionServer;
  names: string[];
  /** A customer's message; how long the answer took. */
  say(name: string, customer: string, text: string): Promise<number>;
  close(): Promise<void>;
}

/** Without `agentId` nobody answers before the scenario ends. Resolves when all of them are connected. */
export async function connectPhones(
  { service, workspace }: Stage,
  count: number,
  agentId: string | null,
): Promise<Phones> {
  const client = openClient(service.url, workspace.token);
  const gateway = await startEvolutionServer();
  gateway.serviceUrl = service.url;
  const pool = new Pool(service.url, { connections: 64 });
  const close = async () => {
    await pool.close();
    await gateway.close();
    await client.close();
  };
  const run = `phones-${Date.now()}`;
  const names = Array.from({ length: count }, (_, index) => `${run}-${index}`);
  let defaultAgentId = agentId;
  const create = async (name: string): Promise<string> => {
    gateway.addInstance(name, 'open');
    const { body } = await client.call('POST', '/channels', {
      name,
      identifier: name,
      type: 'chatapp_no',
      defaultAgentId,
      connector: {
        kind: 'evolution',
        apiBase: gateway.url,
        instanceName: name,
        credentials: { apiKey: gateway.apiKey },
      },
    });
    return body.id;
  };
  try {
    defaultAgentId ??= (await client.call('POST', '/agents', quietAgent)).body.id as string;
    const ids: string[] = [];
    // Changes of an account's configuration wait for each other.
    for (const name of names) ids.push(await create(name));
    const deadline = performance.now() + connectWithinMs;
    for (const id of ids) {
      while ((await client.call('GET', `/channels/${id}`)).body.connector.state !== 'connected') {
        if (performance.now() > deadline) throw new Error('the channels did not connect');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
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
