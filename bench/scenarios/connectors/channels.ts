/** Channels with connectors, created and connected. */
import type { Client } from '../../load/client.ts';

const connectWithinMs = 300_000;
const quietAgent = { name: 'Quiet', provider: 'offline', batchWindowMs: 60_000 };

/** Without `agentId` nobody answers before the scenario ends. Resolves when all of them are connected. */
export async function connectChannels(
  client: Client,
  names: readonly string[],
  type: 'chatapp_no' | 'chatbot',
  agentId: string | null,
  connectorOf: (name: string) => object,
): Promise<void> {
  const defaultAgentId = agentId ?? (await client.call('POST', '/agents', quietAgent)).body.id;
  const ids: string[] = [];
  // One after the other: changes of an account's configuration wait for each other.
  for (const name of names) {
    const connector = connectorOf(name);
    const channel = { name, identifier: name, type, defaultAgentId, connector };
    ids.push((await client.call('POST', '/channels', channel)).body.id);
  }
  const deadline = performance.now() + connectWithinMs;
  for (const id of ids) {
    for (;;) {
      const { state, lastError } = (await client.call('GET', `/channels/${id}`)).body.connector;
      if (state === 'connected') break;
      if (performance.now() > deadline) throw new Error(`a channel did not connect: ${state} ${lastError}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export function channelNames(prefix: string, count: number): string[] {
  const run = `${prefix}-${Date.now()}`;
  return Array.from({ length: count }, (_, index) => `${run}-${index}`);
}
