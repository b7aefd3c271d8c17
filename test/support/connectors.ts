/** A service with a channel that is connected to the scripted provider. */
import assert from 'node:assert/strict';
import type { Inbound } from '../../server/features/connectors/connectors.provider.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { eventually } from './eventually.ts';
import { type Scripted, scriptedProvider } from './providers/scripted-provider.ts';
import { type Json, startTestService, type TestService, type TestServiceOptions } from './service.ts';

export interface Connected {
  service: TestService;
  scripted: Scripted;
  /** A channel in the mode `webhook`, unless told otherwise; waits until it is connected. */
  channel(connector?: object): Promise<string>;
  deliver(channelId: string, items: Inbound[], headers?: Record<string, string>): Promise<{ status: number }>;
  /** Until everything that came in is done, dropped, failed or early. */
  settled(channelId: string): Promise<void>;
  /** Oldest first. */
  messages(sessionId: string): Promise<Json[]>;
  connector(channelId: string): Promise<Json>;
  state(channelId: string, state: string): Promise<void>;
  /** The entries of what came in. Replies go out meanwhile, and have entries of their own. */
  inboundLog(channelId: string): Promise<Json[]>;
}

export async function startConnected(options: TestServiceOptions = {}): Promise<Connected> {
  const service = await startTestService({ worker: true, ...options });
  const scripted = scriptedProvider();
  service.context.providers.set('telegram', scripted.provider);
  const agentId = (await service.call('GET', '/agents')).body.items[0].id;
  let channels = 0;
  const connector = async (id: string) => (await service.call('GET', `/channels/${id}`)).body.connector;
  const state = async (id: string, wanted: string) => {
    await eventually(async () => (await connector(id)).state === wanted);
  };
  return {
    service,
    scripted,
    connector,
    state,
    async channel(more = {}) {
      const { status, body, text } = await service.call('POST', '/channels', {
        body: {
          name: `Bot ${++channels}`,
          identifier: `bot-${channels}`,
          type: 'chatbot',
          defaultAgentId: agentId,
          connector: {
            kind: 'telegram',
            mode: 'webhook',
            credentials: { botToken: scripted.validToken },
            ...more,
          },
        },
      });
      assert.equal(status, 201, text);
      await state(body.id, 'connected');
      return body.id;
    },
    deliver: (channelId, items, headers = { 'x-secret': scripted.validToken }) =>
      service.call('POST', `/connect/${channelId}`, {
        token: null,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(items),
      }),
    async settled(channelId) {
      await eventually(async () => {
        const [row] = await service.context.db.query<{ left: number }>(sql`
          select (select count(*) from connector_inbound where channel_id = ${channelId} and failed_at is null)
            + (select count(*) from connector_items where channel_id = ${channelId} and state = 'waiting') as left`);
        return Number(row!.left) === 0;
      }, 30_000);
    },
    async messages(sessionId) {
      const path = `/sessions/${encodeURIComponent(sessionId)}/messages?order=asc&limit=100`;
      const first = (await service.call('GET', path)).body;
      const items = [...(first.items ?? [])];
      for (let next = first.nextToken; next; ) {
        const { body } = await service.call('GET', `${path}&nextToken=${encodeURIComponent(next)}`);
        items.push(...body.items);
        next = body.nextToken;
      }
      return items;
    },
    async inboundLog(channelId) {
      const { items } = (await service.call('GET', `/channels/${channelId}/connector/log?limit=100`)).body;
      return items.filter((entry: Json) => entry.direction === 'in');
    },
  };
}
