import { type Client, openClient, percentile } from '../../load/client.ts';
import type { Scenario } from '../../scenario.ts';
import type { Stage } from '../../stage.ts';

const conversations = 1_000;
const preparedAtOnce = 16;
const leadMs = 2_000;
const waitMs = 60_000;
const dayMs = 24 * 3_600_000;
const quietAgent = { name: 'Quiet', provider: 'offline', batchWindowMs: 60_000 };

export const scheduledLate: Scenario = {
  name: 'scheduled-late',
  about: `scheduled messages of ${conversations} conversations: how long after their time they are sent`,
  async measure(stage) {
    const client = openClient(stage.service.url, stage.workspace.token);
    try {
      const { body: agent } = await client.call('POST', '/agents', quietAgent);
      const { body: channel } = await client.call('POST', '/channels', {
        name: 'Bench scheduled',
        identifier: `bench-${Date.now()}`,
        type: 'api',
        defaultAgentId: agent.id,
      });
      const sessions = Array.from({ length: conversations }, (_, index) => `later-${channel.id}-${index}`);
      await inParallel(sessions, async (sessionId) => {
        const body = { content: 'Hello', fromChannelIdentifier: channel.identifier, sessionId };
        await client.call('POST', '/messages', body);
      });
      await lateness(stage, client, channel.id, sessions.slice(0, 100), 10);
      const steady = await lateness(stage, client, channel.id, sessions, 10);
      const atOnce = await lateness(stage, client, channel.id, sessions, 0);
      return [
        { name: 'late at 100 a second p50, ms', value: percentile(steady, 0.5), goal: null },
        { name: 'late at 100 a second at most, ms', value: Math.max(...steady), goal: { atMost: 2_000 } },
        { name: 'late at 1,000 in one moment p50, ms', value: percentile(atOnce, 0.5), goal: null },
        {
          name: 'late at 1,000 in one moment at most, ms',
          value: Math.max(...atOnce),
          goal: { atMost: 2_000 },
        },
      ];
    } finally {
      await client.close();
    }
  },
};

/** One message in each conversation, `gapMs` after the one before; how late each was, in ms. */
async function lateness(
  { pool }: Stage,
  client: Client,
  channelId: string,
  sessions: readonly string[],
  gapMs: number,
): Promise<number[]> {
  const tomorrow = Date.now() + dayMs;
  const content = `Later ${tomorrow}`;
  const sendAt = new Map<string, number>();
  await inParallel(sessions, async (sessionId, index) => {
    const at = tomorrow + index * gapMs;
    sendAt.set(sessionId, at);
    const path = `/channels/${channelId}/sessions/${sessionId}/agent-messages`;
    await client.call('POST', path, { content, sendAt: at });
  });
  // By the clock that decides when they are sent. All at once, when the last one has been scheduled.
  const { rows } = await pool.query<{ moved: number }>(
    'select $1::float8 - (extract(epoch from clock_timestamp()) * 1000)::bigint as moved',
    [tomorrow - leadMs],
  );
  const moved = Math.round(rows[0]!.moved);
  await pool.query('update scheduled_messages set send_at = send_at - $1::bigint where content = $2', [
    moved,
    content,
  ]);
  const deadline = performance.now() + leadMs + sessions.length * gapMs + waitMs;
  for (;;) {
    const { rows: sent } = await pool.query<{ session_id: string; created_at: string }>(
      'select session_id, created_at from messages where session_id = any($1) and content = $2',
      [sessions, content],
    );
    if (sent.length === sessions.length) {
      return sent.map((one) => Number(one.created_at) - (sendAt.get(one.session_id)! - moved));
    }
    if (performance.now() > deadline) throw new Error(`${sent.length} of ${sessions.length} were sent`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function inParallel<T>(
  items: readonly T[],
  run: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) await run(items[index]!, index);
  };
  await Promise.all(Array.from({ length: preparedAtOnce }, work));
}
