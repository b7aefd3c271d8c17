import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import { sendingProvider } from '../../../../test/support/providers/sending-provider.ts';
import { sendingStage } from '../../../../test/support/providers/sending-stage.ts';
import { png } from '../../../../test/support/sample-files.ts';
import { startInbox } from '../../../../test/support/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';
import { ProviderError } from '../connectors.provider.ts';
import { reserveSend } from './connectors.pace.sql.ts';
import { startSender } from './connectors.sender.ts';

const stage = sendingStage();
const { connected, conversation, say, message, reaches, deliver } = stage;

describe('sending through a connector', () => {
  it('sends the AI’s reply and an operator’s message once, in order, and links and marks them', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) ids.push(await say(channel, sessionId, `**${number}**`));
    await reaches(sessionId, ids[4]!, 'sent');
    assert.deepEqual(stage.sending.texts(customer), ['0', '1', '2', '3', '4']);
    const { providerMsgId, statusReason } = await message(sessionId, ids[0]!);
    assert.deepEqual([providerMsgId, statusReason], [`p-${stage.sending.parts[0]!.id}`, null]);
    const { connector } = (await stage.service.call('GET', `/channels/${channel.id}`)).body;
    assert.ok(connector.lastOutboundAt > 0);
  });

  it('sends no note, no echo and nothing of a channel without a connector', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    await say(channel, sessionId, 'before');
    await stage.chats.operatorSays(channel.id, sessionId, { content: 'a note', isNote: true });
    const echo = { sessionId, externalUserId: customer, isEcho: true, content: 'echo' };
    await stage.chats.send({ ...echo, fromChannelIdentifier: channel.identifier, channelType: 'chatbot' });
    const plain = await stage.chats.accepted({ sessionId: unique('plain') });
    await stage.chats.replied(plain.sessionId);
    await reaches(sessionId, await say(channel, sessionId, 'after'), 'sent');
    assert.deepEqual(stage.sending.texts(), ['before', 'after']);
  });

  it('splits a long text, links the message to its first part, and takes the least of all statuses', async () => {
    stage.use(sendingProvider({ text: 40 }));
    const channel = await connected({ webhookUrl: null });
    const { sessionId } = await conversation(channel);
    stage.sending.parts.length = 0;
    const id = await say(
      channel,
      sessionId,
      'This is the first sentence. This is the second. And the third one.',
    );
    const { providerMsgId } = await reaches(sessionId, id, 'sent');
    assert.deepEqual(stage.sending.texts(), [
      '(1/3) This is the first sentence.',
      '(2/3) This is the second.',
      '(3/3) And the third one.',
    ]);
    const ids = stage.sending.parts.map((part) => `p-${part.id}`);
    assert.equal(providerMsgId, ids[0]);
    const path = `/sessions/${sessionId}/messages`;
    const report = (index: number, status: string) =>
      stage.service.call('POST', `${path}/status`, { body: { providerMsgId: ids[index], status } });
    await report(0, 'read');
    await report(1, 'delivered');
    assert.equal((await message(sessionId, id)).status, 'sent');
    await report(2, 'read');
    assert.equal((await message(sessionId, id)).status, 'delivered');
    const reaction = { providerMsgId: ids[2], action: 'add', emoji: '👍' };
    await stage.service.call('POST', `${path}/reactions`, { body: reaction });
    assert.deepEqual((await message(sessionId, id)).reactions, ['👍']);
  });

  it('quotes by the provider’s id, and rejects a message of another conversation', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const first = await say(channel, sessionId, 'first');
    const { providerMsgId } = await reaches(sessionId, first, 'sent');
    const second = await say(channel, sessionId, { content: 'second', replyToMessageId: first });
    assert.equal((await reaches(sessionId, second, 'sent')).replyToMessageId, first);
    assert.deepEqual(
      stage.sending.parts.map(({ quoted }) => quoted),
      [null, providerMsgId],
    );
    const other = await conversation(channel);
    const rejected = await stage.chats.operatorSays(channel.id, other.sessionId, {
      content: 'x',
      replyToMessageId: first,
    });
    assert.deepEqual(
      [rejected.status, rejected.body.message],
      [400, 'replyToMessageId is not a message of this conversation'],
    );
    const quoting = await stage.chats.send({
      fromChannelIdentifier: channel.identifier,
      channelType: 'chatbot',
      sessionId: other.sessionId,
      replyToMessageId: first,
    });
    assert.equal(quoting.status, 400);
  });

  it('retries what may work later, in order, and fails what never will, with its reason', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    stage.sending.onSend = async ({ text }, count) => {
      if (text === 'busy' && count === 1) throw new ProviderError('retry', 'Too many requests.', 10);
      if (text === 'blocked') throw new ProviderError('final', 'The customer has blocked the bot.');
    };
    await say(channel, sessionId, 'busy');
    const blocked = await say(channel, sessionId, 'blocked');
    const last = await say(channel, sessionId, 'last');
    await reaches(sessionId, last, 'sent');
    assert.deepEqual(stage.sending.texts(customer), ['busy', 'last']);
    assert.equal((await message(sessionId, blocked)).statusReason, 'The customer has blocked the bot.');
    assert.equal((await message(sessionId, blocked)).status, 'failed');
    assert.equal((await stage.chats.session(sessionId)).needsAttention, true);
  });

  it('waits while the credentials are wrong, and sends everything once they are replaced', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const change = (botToken: string) =>
      stage.service.call('PATCH', `/channels/${channel.id}`, {
        body: { connector: { credentials: { botToken } } },
      });
    const { db } = stage.service.context;
    stage.sending.onSend = async () => {
      throw new ProviderError('credentials', 'Unauthorized: good-token');
    };
    const first = await say(channel, sessionId, 'one');
    const state = async () => (await stage.service.call('GET', `/channels/${channel.id}`)).body.connector;
    await eventually(async () => (await state()).state === 'error');
    assert.equal((await state()).lastError, 'Unauthorized: …');
    const second = await say(channel, sessionId, 'two');
    assert.equal((await message(sessionId, first)).status, null);
    stage.sending.onSend = async () => {};
    await change('good-token');
    await reaches(sessionId, second, 'sent');
    assert.deepEqual(stage.sending.texts(), ['one', 'two']);
    const left = await db.query(sql`select 1 from connector_outbound where state not in ('sent', 'failed')`);
    assert.equal(left.length, 0);
  });
});

describe('what operators do besides writing', () => {
  it('sends reactions, and a removed one as none', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    const { id, providerMsgId } = await reaches(sessionId, await say(channel, sessionId, 'hi'), 'sent');
    const path = `/sessions/${sessionId}/messages/${id}/reactions`;
    for (const action of ['add', 'remove']) {
      assert.equal((await stage.service.call('POST', path, { body: { action, emoji: '👍' } })).status, 200);
    }
    await eventually(() => stage.sending.others.filter((one) => one.startsWith('react')).length === 2);
    const reactions = stage.sending.others.filter((one) => one.startsWith('react'));
    assert.deepEqual(reactions, [
      `react ${customer} ${providerMsgId} true 👍`,
      `react ${customer} ${providerMsgId} true null`,
    ]);
  });

  it('tells the customer that messages are read and that the AI writes', async () => {
    const channel = await connected();
    await deliver(channel, [messageOf('reader', 1)]);
    const count = (what: string) => stage.sending.others.filter((one) => one === what).length;
    await eventually(() => count('read reader reader:1') === 1);
    await stage.chats.replied('telegram:reader');
    // The reply of a test may be over before anyone can be told that it is being written.
    const { signals } = stage.service.context;
    const stop = signals.thinking(stage.service.admin.accountId, 'telegram:reader');
    await eventually(() => count('typing reader') > 0 && count('read reader reader:1') === 2);
    stop();
    stage.sending.others.length = 0;
    assert.equal(
      (await stage.service.call('PATCH', '/sessions/telegram:reader', { body: { unread: 0 } })).status,
      200,
    );
    await eventually(() => stage.sending.others.includes('read reader reader:1'));
  });

  it('sends files by kind, with the text as the caption of the first', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const picture = png(3, 2);
    const files = await filesOf(stage.service);
    const file = await files.upload('image/png', picture, 'a.png');
    const id = await say(channel, sessionId, { content: '**Look**', attachments: [file, file] });
    await reaches(sessionId, id, 'sent');
    assert.deepEqual(
      stage.sending.parts.map(({ text, file: sent }) => [
        text,
        sent!.kind,
        sent!.name,
        sent!.bytes.equals(picture),
      ]),
      [
        ['Look', 'image', 'a.png', true],
        ['', 'image', 'a.png', true],
      ],
    );
  });

  it('message_updated tells a webhook about statuses, if the channel wants it', async () => {
    const receiver = await startInbox();
    try {
      const channel = await connected({ webhookUrl: receiver.url(), settings: { forwardUpdates: true } });
      const { sessionId, customer } = await conversation(channel);
      const id = await say(channel, sessionId, 'hi');
      const { providerMsgId } = await reaches(sessionId, id, 'sent');
      await eventually(() =>
        receiver.received.some(({ body }) => body.event === 'message_updated' && body.data.message.id === id),
      );
      const { body } = receiver.received.find(
        (one) => one.body.event === 'message_updated' && one.body.data.message.id === id,
      )!;
      assert.deepEqual(
        [body.direction, body.sessionId, body.externalUserId],
        ['outgoing', sessionId, customer],
      );
      const told = body.data.message;
      assert.deepEqual([told.status, told.providerMsgId, told.statusReason], ['sent', providerMsgId, null]);
    } finally {
      await receiver.close();
    }
  });
});

describe('pace', () => {
  it('keeps the order with two workers', async () => {
    stage.use(sendingProvider({ perCustomerSecond: 50 }));
    const second = startSender(stage.service.context);
    try {
      const channel = await connected();
      const places = [await conversation(channel), await conversation(channel)];
      for (let number = 0; number < 4; number++) {
        for (const { sessionId } of places) await say(channel, sessionId, `m${number}`);
      }
      const sent = () => stage.sending.parts.filter(({ text }) => /^m\d$/.test(text)).length;
      await eventually(() => sent() === 8);
      for (const { customer } of places) {
        assert.deepEqual(stage.sending.texts(customer).slice(-4), ['m0', 'm1', 'm2', 'm3']);
      }
    } finally {
      await second.stop();
    }
  });

  it('gives each of all processes a time of its own, per channel and per customer', async () => {
    const { db } = stage.service.context;
    const { accountId } = stage.service.admin;
    const channelId = (await stage.chats.channel()).id;
    // So slow that the time of the test itself does not matter.
    const gapMs = 1_000_000;
    const pace = { channelId, perSecond: 1_000 / gapMs, perCustomerSecond: 1_000 / gapMs / 2 };
    const reserve = (customer: string) => reserveSend(db, accountId, { ...pace, customer });
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => reserve(`c${index}`)));
    assert.ok(answers.every(({ reserved }) => reserved));
    const places = answers.map(({ waitMs }) => Math.round(waitMs / gapMs)).sort();
    assert.deepEqual(places, [0, 1, 2, 3, 4, 5]);
    // This customer has to wait for two gaps from its own time; the channel loses nothing by it.
    const first = answers.findIndex(({ waitMs }) => waitMs < gapMs / 2);
    const again = await reserve(`c${first}`);
    assert.deepEqual([again.reserved, Math.round(again.waitMs / gapMs)], [false, 2]);
    assert.equal(Math.round((await reserve('new')).waitMs / gapMs), 6);
  });

  it('lets a burst through to one customer, and then keeps the pace until it is paid back', async () => {
    const { db } = stage.service.context;
    const { id: channelId } = await connected();
    const { accountId } = stage.service.admin;
    const gapMs = 1_000_000;
    const pace = { channelId, perSecond: 1e6, perCustomerSecond: 1_000 / gapMs, customerBurst: 5 };
    const reserve = (customer: string) => reserveSend(db, accountId, { ...pace, customer });
    const answers = await Promise.all(Array.from({ length: 8 }, () => reserve('c')));
    assert.equal(answers.filter(({ reserved }) => reserved).length, 5);
    const waits = answers.filter(({ reserved }) => !reserved).map(({ waitMs }) => Math.round(waitMs / gapMs));
    assert.deepEqual(waits, [1, 1, 1]);
    assert.equal((await reserve('another')).reserved, true);
  });
});
