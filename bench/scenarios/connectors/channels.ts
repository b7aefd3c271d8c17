/** Channels with connectors, created and connected. */
import type { Client } from '../../load/client.ts';
import type { Stage } from '../../stage.ts';

const connectWithinMs = 300_000;
const quietAgent = { name: 'Quiet', provider: 'offline', batchWindowMs: 60_000 };

/** Without `agentId` no one answers before the scenario ends. Resolves when all of them are connected. */
export async function connectChannels(
  client: Client,
  pool: Stage['pool'],
  names: readonly string[],
  type: 'chatapp_no' | 'chatbot',
  agentId: string | null,
  connectorOf: (name: string) => object,
): Promise<void> {
  const defaultAgentId = agentId ?? (await client.call('POST', '/agents', quietAgent)).body.id;
  // One after the other: changes of an account's configuration wait for each other.
  for (const name of names) {
    const connector = connectorOf(name);
    const channel = { name, identifier: name, type, defaultAgentId, connector };
    await withinLimit(() => client.call('POST', '/channels', channel));
  }
  const deadline = performance.now() + connectWithinMs;
  for (;;) {
    const { rows } = await pool.query(
      `select count(*)::int as count from connectors c join channels ch on ch.account_id = c.account_id and ch.id = c.channel_id
       where ch.identifier = any($1) and c.state = 'connected'`,
      [names],
    );
    if (rows[0].count === names.length) return;
    if (performance.now() > deadline) throw new Error('the channels did not connect');
    await pause(200);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Requests for channels have a limit that no setting raises. */
async function withinLimit(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      if (!/answered (429|503)/.test((error as Error).message)) throw error;
      await pause(2_000);
    }
  }
}

export function channelNames(prefix: string, count: number): string[] {
  const run = `${prefix}-${Date.now()}`;
  return Array.from({ length: count }, (_, index) => `${run}-${index}`);
}
