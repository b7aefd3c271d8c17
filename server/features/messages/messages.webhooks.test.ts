/** The message webhook from its receiver's point of view, through the real worker. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { type Inbox, loopbackAllowed, startInbox, verify } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

const knowledge = [{ title: 'Opening hours', text: 'We are open from nine to five.' }];

describe('message webhooks', () => {
  let service: TestService;
  let talk: Conversations;
  let agent: Json;
  const inboxes: Inbox[] = [];

  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    agent = await talk.agent({ name: 'Ada', knowledge });
  });
  after(async () => {
    await service.close();
    await Promise.all(inboxes.map((inbox) => inbox.close()));
  });

  async function connected(settings: object = {}) {
    const inbox = await startInbox();
    inboxes.push(inbox);
    const channel = await talk.channel({ defaultAgentId: agent.id, webhookUrl: inbox.url(), ...settings });
    const send = (body: object) =>
      talk.send({ fromChannelIdentifier: channel.identifier, channelType: channel.type, ...body });
    return { inbox, channel, send };
  }
  /** Nothing more is being sent to the channel. */
  const delivered = async (channelId: string) => {
    const open = sql`webhook_deliveries where webhook_id = ${channelId}::uuid and status <> 'delivered'`;
    while ((await talk.count(open)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('the AI’s reply is delivered once, exactly in the form that is written down, signed by the channel’s secret', async () => {
    const { inbox, channel, send } = await connected();
    const sessionId = unique('hook');
    const question = { sessionId, externalUserId: '+5511955554444', content: 'What are your opening hours?' };
    const { userMessage } = (await send(question)).body;
    const [received] = await inbox.first(1);
    verify(channel.webhookSecret, received!);
    const [reply] = await talk.replies(sessionId);
    const { id, timestamp, ...rest } = received!.body;
    assert.equal(received!.headers['webhook-id'], id);
    assert.equal(typeof timestamp, 'number');
    assert.deepEqual(rest, {
      event: 'message_created',
      accountId: service.admin.accountId,
      sequence: 1,
      direction: 'outgoing',
      externalUserId: '+5511955554444',
      sessionId,
      data: {
        message: {
          id: reply.id,
          role: 'assistant',
          content: reply.content,
          timestamp: reply.timestamp,
          attachments: [],
          inReplyTo: userMessage.id,
          replyToMessageId: null,
          data: null,
          citations: [
            {
              documentId: null,
              version: null,
              title: 'Opening hours',
              url: null,
              heading: null,
              start: 0,
              end: 30,
              excerpt: 'We are open from nine to five.',
            },
          ],
        },
        channel: { id: channel.id, identifier: channel.identifier, type: 'api', name: channel.name },
        agent: { id: agent.id, name: 'Ada' },
      },
    });
    await delivered(channel.id);
    assert.equal(inbox.received.length, 1, 'and nothing of the customer’s message');
  });

  it('an operator’s reply goes out as outgoing without an agent; a note and a transfer go nowhere', async () => {
    const other = await talk.agent();
    const { inbox, channel, send } = await connected({ allowedAgentIds: [other.id] });
    const sessionId = unique('operator');
    await talk.expect(200, send({ sessionId, isEcho: true, externalUserId: 'ada' }));
    await talk.expect(201, talk.operatorSays(channel.id, sessionId, { content: 'secret', isNote: true }));
    const sent = await talk.expect(
      201,
      talk.operatorSays(channel.id, sessionId, { content: 'Hello from us' }),
    );
    await talk.expect(200, send({ sessionId, isEcho: true, externalUserId: 'ada', agentId: other.id }));
    const [received] = await inbox.first(1);
    assert.deepEqual([received!.body.direction, received!.body.data.agent], ['outgoing', null]);
    assert.equal(received!.body.data.message.id, sent.message.id);
    assert.deepEqual(
      [received!.body.data.message.role, received!.body.data.message.inReplyTo],
      ['operator', null],
    );
    await delivered(channel.id);
    assert.equal(inbox.received.length, 1);
  });

  it('with forwarding the customer’s message comes first, as incoming, then the reply', async () => {
    const { inbox, channel, send } = await connected({ forwardIncoming: true });
    const { userMessage, sessionId } = (await send({ externalUserId: 'ada@example.com' })).body;
    const bodies = (await inbox.first(2)).map((one) => one.body);
    assert.deepEqual(
      bodies.map((one) => [one.sequence, one.direction, one.externalUserId, one.sessionId]),
      [
        [1, 'incoming', 'ada@example.com', sessionId],
        [2, 'outgoing', 'ada@example.com', sessionId],
      ],
    );
    assert.equal(bodies[0].data.message.id, userMessage.id);
    assert.equal(bodies[1].data.message.inReplyTo, userMessage.id);
    await delivered(channel.id);
  });

  it('an echo is forwarded only on chatapp_no with forwarding on', async () => {
    for (const type of ['chatapp_no', 'chatapp', 'api', 'sms']) {
      for (const forwardIncoming of [true, false]) {
        const { inbox, channel, send } = await connected({ type, forwardIncoming });
        const answer = await send({
          isEcho: true,
          externalUserId: '+5511955554444',
          content: 'from the phone',
        });
        await talk.expect(200, Promise.resolve(answer));
        await delivered(channel.id);
        const directions = inbox.received.map((one) => one.body.direction);
        assert.deepEqual(
          directions,
          type === 'chatapp_no' && forwardIncoming ? ['echo'] : [],
          `${type} ${forwardIncoming}`,
        );
      }
    }
  });

  it('in the order of the conversation, also when the receiver fails at first', async () => {
    const { inbox, channel, send } = await connected({ forwardIncoming: true });
    const sessionId = unique('ordered');
    let failed = false;
    inbox.answer = (_received, response) => {
      response.writeHead(failed ? 200 : 500).end();
      failed = true;
    };
    for (let n = 0; n < 10; n++) await talk.expect(202, send({ sessionId, content: `question ${n}` }));
    await talk.replied(sessionId, 10);
    const seen = () => [...new Set(inbox.received.map((one) => one.body.sequence as number))];
    await inbox.first(21, 30_000);
    await delivered(channel.id);
    assert.deepEqual(
      seen(),
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
    assert.equal(inbox.received[0]!.text, inbox.received[1]!.text, 'the same bytes at the second attempt');
  });

  it('a blocked contact’s messages are never forwarded', async () => {
    const { inbox, channel, send } = await connected({ forwardIncoming: true });
    await service.call('POST', '/blocked-contacts/blocked-sender');
    assert.equal((await send({ externalUserId: 'blocked-sender' })).status, 403);
    await talk.expect(202, send({ externalUserId: 'free-sender' }));
    await inbox.first(2);
    await delivered(channel.id);
    assert.ok(inbox.received.every((one) => one.body.externalUserId === 'free-sender'));
  });

  it('a rotated secret signs at once, the old one along with it', async () => {
    const { inbox, channel, send } = await connected();
    const rotated = await talk.expect(200, service.call('POST', `/channels/${channel.id}/rotate-secret`));
    assert.notEqual(rotated.webhookSecret, channel.webhookSecret);
    await talk.expect(202, send({}));
    const [received] = await inbox.first(1);
    verify(rotated.webhookSecret, received!);
    verify(channel.webhookSecret, received!);
  });

  it('an address that is set in one process is used by replies of another at once', async () => {
    const second = await service.startSecond();
    try {
      const { inbox, channel, send } = await connected({ webhookUrl: null });
      const sessionId = unique('two');
      await talk.expect(200, send({ sessionId, isEcho: true, externalUserId: 'ada' }));
      const path = `/channels/${channel.id}/sessions/${sessionId}/agent-messages`;
      await second.call('POST', path, { body: { content: 'to nobody' } });
      await service.call('PATCH', `/channels/${channel.id}`, { body: { webhookUrl: inbox.url() } });
      await talk.expect(201, second.call('POST', path, { body: { content: 'to the receiver' } }));
      const [received] = await inbox.first(1);
      assert.equal(received!.body.data.message.content, 'to the receiver');
    } finally {
      await second.close();
    }
  });
});
