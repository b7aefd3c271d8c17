/** Limits of AI replies: per account and day, per visitor and hour. Beyond them a person is requested. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { fails, type ModelServer, startOpenAiServer } from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('the limits of AI replies', () => {
  let service: TestService;
  let talk: Conversations;
  let model: ModelServer;
  before(async () => {
    service = await joinTestService({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
    talk = conversationsOf(service);
    model = await startOpenAiServer();
  });
  after(async () => {
    await service.close();
    await model.close();
  });
  beforeEach(async () => {
    await query(sql`delete from ai_reply_usage`);
    await allow(20_000);
  });

  const query = (statement: ReturnType<typeof sql>) =>
    service.context.db.transaction((tx) => tx.query(statement));
  const allow = async (aiRepliesPerDay: number) => {
    const path = `/admin/accounts/${service.admin.accountId}`;
    const body = { limits: { aiRepliesPerDay } };
    await talk.expect(200, service.call('PATCH', path, { token: service.admin.jwt, body }));
  };
  const today = async (): Promise<number> =>
    (await service.call('GET', '/account')).body.usage.aiRepliesToday;
  const failedEntries = async (sessionId: string): Promise<Json[]> =>
    (await talk.replyLog(sessionId)).filter(({ outcome }) => outcome === 'failed');

  it('beyond aiRepliesPerDay: no reply, needsAttention, the reason in the reply log, operators notified', async () => {
    await allow(2);
    const sessions: string[] = [];
    for (let index = 0; index < 3; index++) {
      const { sessionId } = await talk.accepted();
      await talk.settled(sessionId);
      sessions.push(sessionId);
    }
    assert.equal((await talk.replies(sessions[1]!)).length, 1);
    const refused = sessions[2]!;
    assert.equal((await talk.replies(refused)).length, 0);
    assert.equal((await talk.session(refused)).needsAttention, true);
    const [entry] = await failedEntries(refused);
    assert.equal(entry!.reason, 'the account has reached its limit of 2 AI replies a day (aiRepliesPerDay)');
    const system = (await talk.messages(refused)).find(({ role }) => role === 'system');
    assert.match(system!.content, /Reason: the account has reached its limit of 2 AI replies a day/);
    assert.equal(await today(), 2);
    const notifications = async (): Promise<Json[]> =>
      (await service.call('GET', '/notifications', { token: service.admin.jwt })).body.items;
    await eventually(async () => JSON.stringify(await notifications()).includes(refused));
    await allow(3);
    await talk.accepted({ sessionId: refused });
    await talk.replied(refused);
    assert.equal(await today(), 3);
  });

  it('20 conversations at once get exactly as many replies as are left', async () => {
    await allow(7);
    const sent = await Promise.all(Array.from({ length: 20 }, () => talk.accepted()));
    await Promise.all(sent.map(({ sessionId }) => talk.settled(sessionId)));
    const replies = await Promise.all(sent.map(({ sessionId }) => talk.replies(sessionId)));
    assert.equal(replies.flat().length, 7);
    assert.equal(await today(), 7);
  });

  it('the count restarts with the UTC day', async () => {
    await allow(1);
    await talk.replied((await talk.accepted()).sessionId);
    const { sessionId } = await talk.accepted();
    await talk.settled(sessionId);
    assert.equal((await failedEntries(sessionId)).length, 1);
    await query(sql`update ai_reply_usage set day = day - 1`);
    assert.equal(await today(), 0);
    await talk.accepted({ sessionId });
    await talk.replied(sessionId);
    assert.equal(await today(), 1);
  });

  it('a burst answered by one reply counts once; a failed reply is given back', async () => {
    const patient = await talk.agent({ batchWindowMs: 300 });
    const channel = await talk.channel({ defaultAgentId: patient.id });
    const sessionId = unique('burst');
    const send = () => talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier });
    await send();
    await send();
    await talk.replied(sessionId);
    await talk.settled(sessionId);
    assert.equal(await today(), 1);
    model.script(fails(400));
    const agent = await talk.agent({
      provider: 'openai-compatible',
      model: 'test-model',
      baseUrl: model.baseUrl,
      apiKey: 'k',
    });
    const broken = await talk.channel({ defaultAgentId: agent.id });
    const failed = await talk.accepted({ fromChannelIdentifier: broken.identifier });
    await talk.settled(failed.sessionId);
    assert.equal((await failedEntries(failed.sessionId)).length, 1);
    assert.equal(await today(), 1);
  });

  it('a repeated try at the same reply is counted once', async () => {
    const { sessionId, userMessage } = await talk.accepted({ fromChannelIdentifier: 'api' });
    await talk.settled(sessionId);
    const { accountId } = service.admin;
    await query(sql`
      insert into pending_replies (account_id, session_id, position, message_id, agent_id, not_before)
      select account_id, session_id, 1, ${userMessage.id}, agent_id, now() + interval '1 hour'
      from sessions where account_id = ${accountId} and session_id = ${sessionId}`);
    const before = await today();
    for (let index = 0; index < 3; index++) {
      const rows = await query(sql`
        select refused_by from admit_ai_reply(${accountId}, ${sessionId}, ${[userMessage.id]}::uuid[],
          (now() at time zone 'utc')::date, 1, 60, 60, 60, 100)`);
      assert.deepEqual(rows, [{ refused_by: null }]);
    }
    assert.equal(await today(), before + 1);
    await query(sql`delete from pending_replies where session_id = ${sessionId}`);
  });

  it('a visitor of the widget gets 60 AI replies an hour; another visitor and other channels go on', async () => {
    const channel = await talk.channel({ type: 'web' });
    const place = { fromChannelIdentifier: channel.identifier, channelType: 'web' };
    const sessionId = unique('web-visitor');
    for (let index = 0; index < 61; index++) await talk.accepted({ ...place, sessionId });
    await talk.settled(sessionId, 60_000);
    assert.equal((await talk.replies(sessionId)).length, 60);
    const [entry] = await failedEntries(sessionId);
    assert.equal(entry!.reason, 'the visitor has reached the limit of 60 AI replies an hour');
    assert.equal((await talk.session(sessionId)).needsAttention, true);
    assert.equal(await today(), 60);
    await talk.replied((await talk.accepted({ ...place, sessionId: unique('web-visitor') })).sessionId);
    await talk.replied((await talk.accepted()).sessionId);
    await query(sql`update rate_limit_hits set at = at - 3600000 where bucket = ${`widget-ai:${sessionId}`}`);
    await talk.accepted({ ...place, sessionId });
    await talk.replied(sessionId, 61);
  });
});
