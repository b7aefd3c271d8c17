import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Sending, sendingProvider } from '../../../../test/support/providers/sending-provider.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';
import { loopbackAllowed, startInbox } from '../../../../test/support/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';
import { ProviderError, type SentPart } from '../connectors.provider.ts';
import { reserveSend } from './connectors.outbound.sql.ts';
import { receiveProviderStatus, recogniseOwnSend } from './connectors.receipts.ts';
import { startSender } from './connectors.sender.ts';

let service: TestService;
let chats: Conversations;
let sending: Sending;

before(async () => {
  service = await startTestService({ worker: true, env: loopbackAllowed });
  chats = conversationsOf(service);
});
after(() => service.close());
beforeEach(() => use(sendingProvider()));

function use(provider: Sending): void {
  sending = provider;
  service.context.providers.set('telegram', provider.provider);
}

async function connected(more: object = {}): Promise<Json> {
  const connector = { kind: 'telegram', mode: 'webhook', credentials: { botToken: 'good-token' } };
  const channel = await chats.channel({ type: 'chatbot', connector, ...more });
  await eventually(
    async () => (await service.call('GET', `/channels/${channel.id}`)).body.connector.state === 'connected',
  );
  return channel;
}

/** A conversation in which only operators write. */
async function conversation(channel: Json): Promise<{ sessionId: string; customer: string }> {
  const customer = unique('customer');
  const sessionId = `telegram:${customer}`;
  await chats.accepted({
    fromChannelIdentifier: channel.identifier,
    channelType: 'chatbot',
    sessionId,
    externalUserId: customer,
  });
  await chats.replied(sessionId);
  await chats.pause(sessionId);
  await eventually(async () => (await chats.replies(sessionId)).every(({ status }) => status === 'sent'));
  sending.parts.length = 0;
  return { sessionId, customer };
}

async function say(channel: Json, sessionId: string, body: object | string): Promise<string> {
  const said = typeof body === 'string' ? { content: body } : body;
  const { status, body: answer, text } = await chats.operatorSays(channel.id, sessionId, said);
  assert.equal(status, 201, text);
  return answer.message.id;
}

const message = async (sessionId: string, id: string): Promise<Json> =>
  (await chats.messages(sessionId)).find((one) => one.id === id);
const reaches = async (sessionId: string, id: string, status: string): Promise<Json> => {
  await eventually(async () => (await message(sessionId, id)).status === status, 15_000);
  return message(sessionId, id);
};
const inTx = async <T>(run: Parameters<typeof service.context.db.transaction<T>>[0]) =>
  service.context.db.transaction(run);
const contextOf = async () => {
  const { accountId } = service.admin;
  const { directory } = await service.context.accountConfig.fresh(accountId);
  return { accountId, now: service.context.clock.now(), directory };
};

describe('sending through a connector', () => {
  it('sends the AI’s reply and an operator’s message once, in order, and links and marks them', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) ids.push(await say(channel, sessionId, `**${number}**`));
    await reaches(sessionId, ids[4]!, 'sent');
    assert.deepEqual(sending.texts(customer), ['0', '1', '2', '3', '4']);
    const { providerMsgId, statusReason } = await message(sessionId, ids[0]!);
    assert.deepEqual([providerMsgId, statusReason], [`p-${sending.parts[0]!.id}`, null]);
    const { connector } = (await service.call('GET', `/channels/${channel.id}`)).body;
    assert.ok(connector.lastOutboundAt > 0);
  });

  it('sends no note, no echo and nothing of a channel without a connector', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    await say(channel, sessionId, 'before');
    await chats.operatorSays(channel.id, sessionId, { content: 'a note', isNote: true });
    const echo = { sessionId, externalUserId: customer, isEcho: true, content: 'echo' };
    await chats.send({ ...echo, fromChannelIdentifier: channel.identifier, channelType: 'chatbot' });
    const plain = await chats.accepted({ sessionId: unique('plain') });
    await chats.replied(plain.sessionId);
    await reaches(sessionId, await say(channel, sessionId, 'after'), 'sent');
    assert.deepEqual(sending.texts(), ['before', 'after']);
  });

  it('splits a long text, links the message to its first part, and takes the least of all statuses', async () => {
    use(sendingProvider({ text: 40 }));
    const channel = await connected({ webhookUrl: null });
    const { sessionId } = await conversation(channel);
    sending.parts.length = 0;
    const id = await say(
      channel,
      sessionId,
      'This is the first sentence. This is the second. And the third one.',
    );
    const { providerMsgId } = await reaches(sessionId, id, 'sent');
    assert.deepEqual(sending.texts(), [
      '(1/3) This is the first sentence.',
      '(2/3) This is the second.',
      '(3/3) And the third one.',
    ]);
    const ids = sending.parts.map((part) => `p-${part.id}`);
    assert.equal(providerMsgId, ids[0]);
    const path = `/sessions/${sessionId}/messages`;
    const report = (index: number, status: string) =>
      service.call('POST', `${path}/status`, { body: { providerMsgId: ids[index], status } });
    await report(0, 'read');
    await report(1, 'delivered');
    assert.equal((await message(sessionId, id)).status, 'sent');
    await report(2, 'read');
    assert.equal((await message(sessionId, id)).status, 'delivered');
    const reaction = { providerMsgId: ids[2], action: 'add', emoji: '👍' };
    await service.call('POST', `${path}/reactions`, { body: reaction });
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
      sending.parts.map(({ quoted }) => quoted),
      [null, providerMsgId],
    );
    const other = await conversation(channel);
    const rejected = await chats.operatorSays(channel.id, other.sessionId, {
      content: 'x',
      replyToMessageId: first,
    });
    assert.deepEqual(
      [rejected.status, rejected.body.message],
      [400, 'replyToMessageId is not a message of this conversation'],
    );
    const quoting = await chats.send({
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
    sending.onSend = async ({ text }, count) => {
      if (text === 'busy' && count === 1) throw new ProviderError('retry', 'Too many requests.', 10);
      if (text === 'blocked') throw new ProviderError('final', 'The customer has blocked the bot.');
    };
    await say(channel, sessionId, 'busy');
    const blocked = await say(channel, sessionId, 'blocked');
    const last = await say(channel, sessionId, 'last');
    await reaches(sessionId, last, 'sent');
    assert.deepEqual(sending.texts(customer), ['busy', 'last']);
    assert.equal((await message(sessionId, blocked)).statusReason, 'The customer has blocked the bot.');
    assert.equal((await message(sessionId, blocked)).status, 'failed');
    assert.equal((await chats.session(sessionId)).needsAttention, true);
  });

  it('waits while the credentials are wrong, and sends everything once they are replaced', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const change = (botToken: string) =>
      service.call('PATCH', `/channels/${channel.id}`, {
        body: { connector: { credentials: { botToken } } },
      });
    const { db } = service.context;
    sending.onSend = async () => {
      throw new ProviderError('credentials', 'Unauthorized: good-token');
    };
    const first = await say(channel, sessionId, 'one');
    const state = async () => (await service.call('GET', `/channels/${channel.id}`)).body.connector;
    await eventually(async () => (await state()).state === 'error');
    assert.equal((await state()).lastError, 'Unauthorized: …');
    const second = await say(channel, sessionId, 'two');
    assert.equal((await message(sessionId, first)).status, null);
    sending.onSend = async () => {};
    await change('good-token');
    await reaches(sessionId, second, 'sent');
    assert.deepEqual(sending.texts(), ['one', 'two']);
    const left = await db.query(sql`select 1 from connector_outbound where state not in ('sent', 'failed')`);
    assert.equal(left.length, 0);
  });
});

describe('a send whose answer is lost', () => {
  const lose = (answer: SentPart | 'not sent' | 'unknown') => {
    sending.provider.find = async () => answer;
    sending.onSend = async ({ text }, count) => {
      if (text === 'lost' && count === 1) throw new ProviderError('lost', 'No answer.');
    };
  };

  it('is linked if the provider has it, and repeated if it has not', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    lose({ providerMsgId: 'found', status: null });
    const id = await say(channel, sessionId, 'lost');
    assert.equal((await reaches(sessionId, id, 'sent')).providerMsgId, 'found');
    assert.deepEqual(sending.texts(customer), []);
    lose('not sent');
    await reaches(sessionId, await say(channel, sessionId, 'lost'), 'sent');
    assert.deepEqual(sending.texts(customer), ['lost']);
  });

  it('is not repeated if nobody knows: others go on, and it fails after two minutes', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    lose('unknown');
    const id = await say(channel, sessionId, 'lost');
    await reaches(sessionId, await say(channel, sessionId, 'next'), 'sent');
    assert.equal((await message(sessionId, id)).status, null);
    const { db } = service.context;
    await db.transaction((tx) =>
      tx.query(sql`update connector_outbound set due_at = now() where message_id = ${id}`),
    );
    const { statusReason } = await reaches(sessionId, id, 'failed');
    assert.match(statusReason, /lost/);
    assert.deepEqual(sending.texts(), ['next']);
  });

  it('is settled by a receipt with our id, or by its copy', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    let ourId = '';
    sending.onSend = async (part) => {
      ourId = part.id;
      throw new ProviderError('lost', 'No answer.');
    };
    const unknown = async (id: string) => {
      const rows = await service.context.db.query<{ state: string }>(
        sql`select state from connector_outbound where message_id = ${id}`,
      );
      return rows[0]!.state === 'unknown';
    };
    const first = await say(channel, sessionId, 'lost');
    await eventually(() => unknown(first));
    const context = await contextOf();
    const receipt = {
      type: 'status',
      providerMsgId: 'p-1',
      status: 'delivered',
      reason: null,
      ourId,
    } as const;
    await inTx((tx) => receiveProviderStatus(tx, context, channel.id, receipt));
    assert.equal((await reaches(sessionId, first, 'delivered')).providerMsgId, 'p-1');
    const second = await say(channel, sessionId, 'copied');
    await eventually(() => unknown(second));
    const { openSession } = await import('../../sessions/sessions.ts');
    const recognise = (copy: { providerMsgId: string; text: string; hasFile: boolean }) =>
      inTx(async (tx) => {
        const { state } = await openSession(tx, context.accountId, sessionId);
        return recogniseOwnSend(tx, context, state!, copy);
      });
    assert.equal(await recognise({ providerMsgId: 'p-2', text: 'another', hasFile: false }), false);
    assert.equal(await recognise({ providerMsgId: 'p-2', text: 'copied', hasFile: false }), true);
    assert.equal((await reaches(sessionId, second, 'sent')).providerMsgId, 'p-2');
    assert.equal(await recognise({ providerMsgId: 'p-2', text: 'copied', hasFile: false }), true);
  });

  it('applies a receipt that comes before the answer', async () => {
    const channel = await connected();
    const { sessionId } = await conversation(channel);
    const context = await contextOf();
    sending.onSend = async (part) => {
      const providerMsgId = `p-${part.id}`;
      const receipt = { type: 'status', providerMsgId, status: 'read', reason: null, ourId: null } as const;
      await inTx((tx) => receiveProviderStatus(tx, context, channel.id, receipt));
    };
    await reaches(sessionId, await say(channel, sessionId, 'fast'), 'read');
  });
});

describe('what operators do besides writing', () => {
  it('sends reactions, and a removed one as none', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    const { id, providerMsgId } = await reaches(sessionId, await say(channel, sessionId, 'hi'), 'sent');
    const path = `/sessions/${sessionId}/messages/${id}/reactions`;
    for (const action of ['add', 'remove']) {
      assert.equal((await service.call('POST', path, { body: { action, emoji: '👍' } })).status, 200);
    }
    await eventually(() => sending.others.filter((one) => one.startsWith('react')).length === 2);
    const reactions = sending.others.filter((one) => one.startsWith('react'));
    assert.deepEqual(reactions, [
      `react ${customer} ${providerMsgId} true 👍`,
      `react ${customer} ${providerMsgId} true null`,
    ]);
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
    use(sendingProvider({ perCustomerSecond: 50 }));
    const second = startSender(service.context);
    try {
      const channel = await connected();
      const places = [await conversation(channel), await conversation(channel)];
      for (let number = 0; number < 4; number++) {
        for (const { sessionId } of places) await say(channel, sessionId, `m${number}`);
      }
      const sent = () => sending.parts.filter(({ text }) => /^m\d$/.test(text)).length;
      await eventually(() => sent() === 8);
      for (const { customer } of places) {
        assert.deepEqual(sending.texts(customer).slice(-4), ['m0', 'm1', 'm2', 'm3']);
      }
    } finally {
      await second.stop();
    }
  });

  it('gives each of all processes a time of its own, per channel and per customer', async () => {
    const { db } = service.context;
    const { accountId } = service.admin;
    const channelId = (await chats.channel()).id;
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
});
