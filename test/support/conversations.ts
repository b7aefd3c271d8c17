/** Common steps of messaging tests, through the API. */
import assert from 'node:assert/strict';
import { type Sql, sql } from '../../server/platform/db/sql.ts';
import { eventually } from './eventually.ts';
import type { Answer, CallOptions, Json, TestService } from './service.ts';

let counter = 0;
/** A text that no other test of the process uses. */
export const unique = (prefix: string) => `${prefix}-${++counter}`;

export function conversationsOf(service: TestService) {
  const { call, context } = service;
  const { db } = context;
  const { accountId } = service.admin;

  const expect = async (status: number, answer: Promise<Answer>): Promise<Json> => {
    const { status: got, body, text } = await answer;
    assert.equal(got, status, text);
    return body;
  };
  const send = (body: object = {}, options: CallOptions = {}) =>
    call('POST', '/messages', {
      body: { content: 'Hello', fromChannelIdentifier: 'api', ...body },
      ...options,
    });
  const messages = async (sessionId: string): Promise<Json[]> => {
    const items: Json[] = [];
    let nextToken: string | null = null;
    do {
      const after: string = nextToken === null ? '' : `&nextToken=${encodeURIComponent(nextToken)}`;
      const path = `/sessions/${encodeURIComponent(sessionId)}/messages?order=asc&limit=100${after}`;
      const page = await expect(200, call('GET', path));
      items.push(...page.items);
      nextToken = page.nextToken;
    } while (nextToken !== null);
    return items;
  };
  const replies = async (sessionId: string): Promise<Json[]> =>
    (await messages(sessionId)).filter((message) => message.role === 'assistant');
  const session = (sessionId: string): Promise<Json> =>
    expect(200, call('GET', `/sessions/${encodeURIComponent(sessionId)}`));

  return {
    expect,
    send,
    messages,
    replies,
    session,

    /** The 202's body. */
    accepted: (body: object = {}): Promise<Json> => expect(202, send(body)),

    async channel(body: object = {}): Promise<Json> {
      const name = unique('channel');
      const agents = await expect(200, call('GET', '/agents'));
      const defaults = { name, identifier: name, type: 'api', defaultAgentId: agents.items[0].id };
      return expect(201, call('POST', '/channels', { body: { ...defaults, ...body } }));
    },

    agent: (body: object = {}): Promise<Json> =>
      expect(201, call('POST', '/agents', { body: { name: unique('Agent'), provider: 'offline', ...body } })),

    kanban: (body: object = {}): Promise<Json> =>
      expect(201, call('POST', '/kanbans', { body: { name: unique('Board'), ...body } })),

    pause: (sessionId: string, aiPaused = true): Promise<Json> =>
      expect(200, call('PATCH', `/sessions/${sessionId}/ai-paused`, { body: { aiPaused } })),

    operatorSays: (channelId: string, sessionId: string, body: object): Promise<Answer> =>
      call('POST', `/channels/${channelId}/sessions/${sessionId}/agent-messages`, { body }),

    async replied(sessionId: string, count = 1, withinMs = 20_000): Promise<Json[]> {
      let found: Json[] = [];
      await eventually(async () => {
        found = await replies(sessionId);
        return found.length >= count;
      }, withinMs);
      return found;
    },

    replyLog: async (sessionId: string): Promise<Json[]> =>
      (await expect(200, call('GET', `/sessions/${sessionId}/replies?limit=100`))).items,

    /** No message still waits for a reply. */
    settled: (sessionId: string, withinMs = 20_000) =>
      eventually(async () => {
        const waiting = await db.query(sql`
          select 1 from pending_replies where account_id = ${accountId} and session_id = ${sessionId} limit 1`);
        return waiting.length === 0;
      }, withinMs),

    /** The bodies of the session's events, in their order. */
    async events(subjectId: string): Promise<Json[]> {
      const rows = await db.query<{ body: string }>(sql`
        select body from events where account_id = ${accountId} and subject_id = ${subjectId} order by sequence`);
      return rows.map((row) => JSON.parse(row.body));
    },

    async count(from: Sql): Promise<number> {
      const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from ${from}`);
      return row!.count;
    },
  };
}

export type Conversations = ReturnType<typeof conversationsOf>;
