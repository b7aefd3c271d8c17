/** Limits of AI replies against a flood: of an address, of a channel, of an hour. The visitor is told, a person answers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { utcDay } from '../../platform/limits/account-usage.ts';
import { admitEachReply } from './ai-replies.sql.ts';

/** Counted until a later hour begins: whatever the clock shows. */
const laterHour = 2_000_000;
const handover = {
  en: 'I am handing this conversation over to a person. Someone will reply here.',
  pt: 'Vou passar esta conversa para uma pessoa. Alguém vai responder aqui.',
};

describe('the limits of AI replies against a flood', () => {
  let service: TestService;
  let talk: Conversations;
  before(async () => {
    service = await joinTestService({
      worker: true,
      env: { AI_REPLIES_PER_ADDRESS: '3', AI_REPLIES_PER_CHANNEL: '6', AI_REPLIES_HOURLY_PERCENT: '10' },
    });
    talk = conversationsOf(service);
  });
  after(() => service.close());

  let clientId = 0;
  const visit = async (channel: Json): Promise<string> => {
    const { body } = await service.call('POST', '/widget/sessions', {
      token: null,
      body: { channel: channel.id },
    });
    return body.token;
  };
  const say = async (token: string, address: string, content = 'Hello') => {
    const body = { clientId: `flood-message-${++clientId}`, content };
    await talk.expect(202, service.call('POST', '/widget/messages', { token, address, body }));
  };
  const sessionOf = (token: string): string =>
    JSON.parse(Buffer.from(token.slice(4), 'base64url').subarray(32).toString())[2];
  /** Writes as a new visitor from this address, and waits until it is answered. */
  const writes = async (channel: Json, address: string, content?: string) => {
    const token = await visit(channel);
    await say(token, address, content);
    const sessionId = sessionOf(token);
    await talk.settled(sessionId);
    return { token, sessionId };
  };
  const history = async (token: string): Promise<Json[]> =>
    (await service.call('GET', '/widget/messages', { token })).body.messages;
  const refusalOf = async (sessionId: string): Promise<string> => {
    const entry = (await talk.replyLog(sessionId)).find(({ outcome }) => outcome === 'failed');
    assert.ok(entry, 'the reply log has the refusal');
    const line = (await talk.messages(sessionId)).find(({ role }) => role === 'system');
    assert.ok(line!.content.endsWith(`Reason: ${entry!.reason}`), line!.content);
    return entry!.reason;
  };
  const usedOf = async (): Promise<number> =>
    (await service.call('GET', '/account')).body.usage.aiRepliesToday;

  it('an address: its visitors are handed over to a person, in their language and once; other addresses go on', async () => {
    const channel = await talk.channel({ type: 'web' });
    for (let index = 0; index < 3; index++) await writes(channel, '203.0.113.7');
    const used = await usedOf();
    const { token, sessionId } = await writes(channel, '203.0.113.7', 'Olá, quero saber o preço do produto');
    const state = await talk.session(sessionId);
    assert.deepEqual([state.aiPaused, state.needsAttention], [true, true]);
    assert.deepEqual(
      (await talk.replies(sessionId)).map(({ content }) => content),
      [handover.pt],
    );
    assert.ok((await history(token)).some((message) => JSON.stringify(message).includes(handover.pt)));
    assert.equal(
      await refusalOf(sessionId),
      "the visitor's network address has reached the limit of 3 AI replies an hour (AI_REPLIES_PER_ADDRESS)",
    );
    assert.equal(await usedOf(), used, 'a refused reply does not count for the day');
    await say(token, '203.0.113.7', 'Ninguém responde?');
    await talk.settled(sessionId);
    assert.equal((await talk.replies(sessionId)).length, 1, 'told once');
    assert.equal((await talk.messages(sessionId)).filter(({ role }) => role === 'system').length, 1);
    const other = await writes(channel, '203.0.113.8');
    assert.equal((await talk.session(other.sessionId)).aiPaused, false);
  });

  it('a network of IPv6 is one address', async () => {
    const channel = await talk.channel({ type: 'web' });
    for (let index = 1; index <= 3; index++) await writes(channel, `2001:db8:1:2::${index}`);
    const { sessionId } = await writes(channel, '2001:db8:1:2:ffff::9');
    assert.match(await refusalOf(sessionId), /AI_REPLIES_PER_ADDRESS/);
  });

  it('a burst in one conversation is told once, and nothing of it is left waiting', async () => {
    const channel = await talk.channel({ type: 'web' });
    for (let index = 0; index < 3; index++) await writes(channel, '198.51.100.1');
    const token = await visit(channel);
    await Promise.all(Array.from({ length: 5 }, () => say(token, '198.51.100.1', 'Hello, are you there?')));
    await talk.settled(sessionOf(token));
    assert.deepEqual(
      (await talk.replies(sessionOf(token))).map(({ content }) => content),
      [handover.en],
    );
  });

  it('a message of a running conversation has an address too, alone and in a batch', async () => {
    const channel = await talk.channel({ type: 'web' });
    const tokens = await Promise.all(Array.from({ length: 3 }, () => visit(channel)));
    await Promise.all(tokens.map((token, index) => say(token, `198.51.100.1${index}`)));
    await Promise.all(tokens.map((token) => talk.settled(sessionOf(token))));
    await service.context.db.transaction((tx) =>
      tx.query(sql`delete from rate_limit_hits where bucket like ${`widget-ai-channel:${channel.id}`}`),
    );
    await Promise.all(tokens.map((token) => say(token, '198.51.100.99')));
    await Promise.all(tokens.map((token) => talk.settled(sessionOf(token))));
    const { sessionId } = await writes(channel, '198.51.100.99');
    assert.match(await refusalOf(sessionId), /AI_REPLIES_PER_ADDRESS/);
  });

  it('a channel: whatever the addresses are, also where the API writes for a visitor; other channels go on', async () => {
    const channel = await talk.channel({ type: 'web' });
    for (let index = 0; index < 5; index++) await writes(channel, `192.0.2.${index}`);
    const place = { fromChannelIdentifier: channel.identifier, channelType: 'web' };
    await talk.replied((await talk.accepted({ ...place, sessionId: unique('flood') })).sessionId);
    const { sessionId } = await writes(channel, '192.0.2.99');
    assert.equal(
      await refusalOf(sessionId),
      'the channel has reached its limit of 6 AI replies an hour (AI_REPLIES_PER_CHANNEL)',
    );
    assert.equal((await talk.session(sessionId)).aiPaused, true);
    const elsewhere = await writes(await talk.channel({ type: 'web' }), '192.0.2.99');
    assert.equal((await talk.session(elsewhere.sessionId)).aiPaused, false);
  });

  it('processes that count the same addresses in another order neither wait for each other nor count wrongly', async () => {
    const { db } = service.context;
    const { accountId } = service.admin;
    const channel = await talk.channel({ type: 'web' });
    const waiting: { sessionId: string; messageId: string }[] = [];
    for (let index = 0; index < 24; index++) {
      const place = { fromChannelIdentifier: channel.identifier, channelType: 'web' };
      const sessionId = unique('race');
      const { userMessage } = await talk.accepted({ ...place, sessionId });
      await talk.settled(sessionId);
      waiting.push({ sessionId, messageId: userMessage.id });
      await db.transaction((tx) =>
        tx.query(sql`
          insert into pending_replies (account_id, session_id, position, message_id, agent_id, not_before, address)
          select account_id, session_id, 1, ${userMessage.id}, agent_id, now() + interval '1 hour',
            ${index % 2 === 0 ? 'even' : 'odd'}
          from sessions where account_id = ${accountId} and session_id = ${sessionId}`),
      );
    }
    const used = await usedOf();
    const limits = { day: utcDay(Date.now()), hour: Math.floor(Date.now() / 3_600_000), hourlyPercent: 100 };
    const perHour = { perVisitor: 60, perAddress: 5, perChannel: 1_000 };
    const answers = await Promise.all(
      [0, 6, 12, 18].map((from) => {
        const some = waiting.slice(from, from + 6);
        const inOrder = from % 12 === 0 ? some : some.toReversed();
        return admitEachReply(db, accountId, inOrder, { ...limits, ...perHour });
      }),
    );
    const refused = answers.flat().map((answer) => answer!.refusedBy);
    assert.equal(refused.filter((by) => by === null).length, 10);
    assert.equal(refused.filter((by) => by === 'address').length, 14);
    assert.equal(await usedOf(), used + 10);
    await db.transaction((tx) => tx.query(sql`delete from pending_replies where account_id = ${accountId}`));
  });

  it('an hour: a share of the day, for every channel, and at least 100 replies', async () => {
    const path = `/admin/accounts/${service.admin.accountId}`;
    const allow = (aiRepliesPerDay: number) =>
      talk.expect(
        200,
        service.call('PATCH', path, { token: service.admin.jwt, body: { limits: { aiRepliesPerDay } } }),
      );
    const use = (replies: number) =>
      service.context.db.transaction((tx) =>
        tx.query(sql`
          update ai_reply_usage set replies = ${replies}, hour_replies = ${replies}, hour = ${laterHour}
          where account_id = ${service.admin.accountId}`),
      );
    await talk.replied((await talk.accepted()).sessionId);
    await allow(2_000);
    await use(199);
    await talk.replied((await talk.accepted()).sessionId);
    const { sessionId } = await talk.accepted();
    await talk.replied(sessionId);
    assert.equal(
      await refusalOf(sessionId),
      'the account has reached its limit of 200 AI replies an hour, 10 % of its day (AI_REPLIES_HOURLY_PERCENT)',
    );
    const state = await talk.session(sessionId);
    assert.deepEqual([state.aiPaused, state.needsAttention], [true, true]);
    await service.context.db.transaction((tx) =>
      tx.query(sql`
        update ai_reply_usage set hour = 0 where account_id = ${service.admin.accountId}`),
    );
    const next = await talk.accepted();
    await talk.replied(next.sessionId);
    assert.equal((await talk.session(next.sessionId)).aiPaused, false, 'the next hour goes on');
    await allow(1_000_000_000);
    const rich = await talk.accepted();
    await talk.replied(rich.sessionId);
    assert.equal((await talk.session(rich.sessionId)).aiPaused, false, 'the largest day has a share too');
    await allow(120);
    await use(99);
    const last = await talk.accepted();
    await talk.replied(last.sessionId);
    assert.equal(
      (await talk.session(last.sessionId)).aiPaused,
      false,
      'a small day still allows 100 an hour',
    );
  });

  it('the share of the hour never refuses before the day of a small account ends', async () => {
    const { sessionId } = await talk.accepted();
    await talk.settled(sessionId);
    const path = `/admin/accounts/${service.admin.accountId}`;
    const used = await usedOf();
    const body = { limits: { aiRepliesPerDay: used } };
    await talk.expect(200, service.call('PATCH', path, { token: service.admin.jwt, body }));
    const refused = await talk.accepted();
    await talk.settled(refused.sessionId);
    assert.match(await refusalOf(refused.sessionId), /limit of \d+ AI replies a day \(aiRepliesPerDay\)$/);
    assert.equal((await talk.session(refused.sessionId)).aiPaused, false);
  });
});
