/** A Telegram bot from its token to the last reaction: a whole service and a fake Bot API. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clip } from '../../../../test/support/audio.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import {
  type ConnectedChannel,
  startConnectedChannel,
  withId,
} from '../../../../test/support/providers/connected-channel.ts';
import {
  startTelegramServer,
  type TelegramServer,
} from '../../../../test/support/providers/telegram-server.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import type { Json } from '../../../../test/support/service.ts';

let bot: TelegramServer;
let channel: ConnectedChannel;
let customers = 100;

before(async () => {
  bot = await startTelegramServer();
  const credentials = { botToken: bot.token };
  channel = await startConnectedChannel('chatbot', { kind: 'telegram', apiBase: bot.url, credentials });
  bot.serviceUrl = channel.files.base;
});
after(async () => {
  await channel?.close();
  await bot?.close();
});

/** A customer for each test: the pace holds for each of them. */
async function newCustomer() {
  const chatId = ++customers;
  const sessionId = await channel.quietSession('telegram', String(chatId));
  const write = (content: string | Json, own: object = {}) => bot.customerWrites(content, { chatId, ...own });
  const receive = async (content: string | Json, own: object = {}) => {
    const written = write(content, own);
    return { ...written, message: await channel.stored(sessionId, withId(written.providerMsgId)) };
  };
  const sentTexts = () => bot.sent(chatId).map(({ text }) => text);
  const sent = async (count: number, withinMs?: number) => {
    await eventually(() => bot.sent(chatId).length >= count, withinMs);
    assert.equal(bot.sent(chatId).length, count);
    return bot.sent(chatId);
  };
  return { chatId, sessionId, write, receive, sent, sentTexts };
}

describe('a Telegram bot', () => {
  it('answers a customer with the AI, and says who it is', async () => {
    assert.deepEqual(await channel.act('check'), { ok: true, detail: 'Connected as @shop_bot (Shop).' });
    const { providerMsgId } = bot.customerWrites('What is Talkboard?', { chatId: 77 });
    await channel.stored('telegram:77', withId(providerMsgId));
    const [reply] = await channel.talks.replied('telegram:77');
    const marked = await channel.stored(
      'telegram:77',
      (one) => one.id === reply!.id && one.status === 'sent',
    );
    const [sent] = bot.sent(77);
    assert.equal(marked.providerMsgId, sent!.providerMsgId);
    const session = await channel.talks.session('telegram:77');
    assert.deepEqual([session.externalUserId, session.sessionName], ['77', 'Ada']);
  });

  it('stores each message once and in order, also when it comes again, in a batch and disordered', async () => {
    const { sessionId, write } = await newCustomer();
    bot.hold();
    const written = ['One', 'Two', 'Three', 'Four'].map((text) => write(text));
    bot.release('reversed');
    bot.redeliver();
    await channel.stored(sessionId, withId(written[0]!.providerMsgId));
    const last = write('Five');
    await channel.stored(sessionId, withId(last.providerMsgId));
    const texts = (await channel.talks.messages(sessionId)).map(({ content }) => content);
    assert.deepEqual(texts, ['Welcome', 'One', 'Two', 'Three', 'Four', 'Five']);
  });

  it('sends text with its formatting, and splits a long one', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await receive('Hi');
    await channel.operatorSays(sessionId, { content: '**Bold** & <plain>' });
    const [first] = await sent(1);
    assert.deepEqual([first!.parseMode, first!.text], ['HTML', '<b>Bold</b> &amp; &lt;plain&gt;']);
    const id = await channel.operatorSays(sessionId, {
      content: 'One of many sentences. '.repeat(300).trim(),
    });
    const parts = (await sent(3)).slice(1);
    assert.deepEqual(
      parts.map(({ text }) => text.slice(0, 6)),
      ['(1/2) ', '(2/2) '],
    );
    const message = await channel.stored(sessionId, (one) => one.id === id && one.status === 'sent');
    assert.equal(message.providerMsgId, parts[0]!.providerMsgId);
  });

  it('receives every kind of file, and names those that are gone', async () => {
    const { receive } = await newCustomer();
    const kinds: [type: string, content: (file_id: string) => Json][] = [
      ['image/jpeg', (file_id) => ({ photo: [{ file_id: 'small' }, { file_id }] })],
      ['video/mp4', (file_id) => ({ video: { file_id, mime_type: 'video/mp4' } })],
      ['video/mp4', (file_id) => ({ video_note: { file_id } })],
      ['audio/mpeg', (file_id) => ({ audio: { file_id, mime_type: 'audio/mpeg' } })],
      [
        'application/pdf',
        (file_id) => ({ document: { file_id, mime_type: 'application/pdf', file_name: 'bill.pdf' } }),
      ],
    ];
    for (const [type, content] of kinds) {
      const bytes = sampleFiles[type]!();
      const { message } = await receive({ ...content(bot.addFile(bytes)), caption: 'Look' });
      assert.equal(message.content, 'Look', type);
      assert.deepEqual(
        [message.attachments[0].contentType, message.attachments[0].size],
        [type, bytes.length],
      );
    }
    const gone = { file_id: 'unknown', mime_type: 'application/pdf', file_name: 'bill.pdf' };
    const { message } = await receive({ document: gone, caption: 'Look' });
    assert.match(message.content, /bill\.pdf/);
    assert.deepEqual(message.attachments, []);
  });

  it('makes one message of a group of files', async () => {
    const { sessionId, write } = await newCustomer();
    const photo = () => ({
      photo: [{ file_id: bot.addFile(sampleFiles['image/jpeg']!()) }],
      media_group_id: 'g',
    });
    const first = write({ ...photo(), caption: 'Both' });
    write(photo());
    const message = await channel.stored(sessionId, withId(first.providerMsgId));
    assert.deepEqual([message.content, message.attachments.length], ['Both', 2]);
  });

  it('sends every kind of file, with the text as the caption', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await receive('Hi');
    const kinds = [
      ['image/png', 'sendPhoto'],
      ['video/mp4', 'sendVideo'],
      ['application/pdf', 'sendDocument'],
    ] as const;
    const expected: unknown[] = [];
    for (const [type, method] of kinds) {
      const bytes = sampleFiles[type]!();
      const file = await channel.files.upload(type, bytes, 'a file');
      await channel.operatorSays(sessionId, { content: 'Look', attachments: [file] });
      expected.push([method, 'Look', bytes]);
    }
    const calls = (await sent(kinds.length)).map(({ method, text, file }) => [method, text, file?.bytes]);
    assert.deepEqual(calls, expected);
  });

  it('carries voice messages both ways', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    const file_id = bot.addFile(clip('order.ogg'), 'voice/file_1.oga');
    const { message } = await receive({ voice: { file_id, mime_type: 'audio/ogg', duration: 3 } });
    assert.match(message.attachments[0].contentType, /^audio\/ogg/);
    const heard = (one: Json) => one.id === message.id && one.attachments[0].transcript !== undefined;
    const { attachments } = await channel.stored(sessionId, heard, 30_000);
    assert.equal(attachments[0].transcript.text, 'Where is my order?');
    const file = await channel.files.upload('audio/mpeg', clip('order.mp3'), 'order.mp3');
    await channel.operatorSays(sessionId, { content: '', attachments: [file] });
    const [voice] = await sent(1, 60_000);
    assert.equal(voice!.method, 'sendVoice');
    assert.equal(voice!.file!.bytes.subarray(0, 4).toString(), 'OggS');
  });

  it('carries quotes and reactions both ways', async () => {
    const { chatId, sessionId, receive, sent } = await newCustomer();
    const { message, messageId } = await receive('A question');
    const id = await channel.operatorSays(sessionId, { content: 'Yes?', replyToMessageId: message.id });
    const [first] = await sent(1);
    assert.equal(first!.replyTo, messageId);
    await channel.stored(sessionId, withId(first!.providerMsgId));
    const quoting = await receive('No', { replyTo: first!.messageId });
    assert.equal(quoting.message.replyToMessageId, id);

    bot.customerReacts(first!.messageId, '👍', chatId);
    await channel.stored(sessionId, (one) => one.id === id && one.reactions.includes('👍'));
    bot.customerReacts(first!.messageId, null, chatId);
    await channel.stored(sessionId, (one) => one.id === id && one.reactions.length === 0);
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages/reactions`;
    const body = { providerMsgId: message.providerMsgId, action: 'add', emoji: '❤️' };
    await channel.talks.expect(200, channel.service.call('POST', path, { body }));
    await eventually(() => bot.calls('setMessageReaction').length === 1);
    assert.deepEqual(bot.calls('setMessageReaction')[0]!.params, {
      chat_id: chatId,
      message_id: messageId,
      reaction: [{ type: 'emoji', emoji: '❤' }],
    });
  });

  it('applies edits, and shows other kinds as a line', async () => {
    const { chatId, sessionId, receive } = await newCustomer();
    const { messageId } = await receive('Helo');
    bot.customerEdits(messageId, 'Hello', chatId);
    const edited = await channel.stored(sessionId, (one) => one.content === 'Hello');
    assert.ok(edited.editedAt);
    const location = { latitude: 52.5, longitude: 13.4 };
    const { message } = await receive({ location });
    assert.equal(message.content, 'Location: 52.5, 13.4');
    assert.deepEqual(message.data.providerPayload, { location });
  });

  it('fails with a reason when the customer blocked the bot, and a blocked contact gets nothing through', async () => {
    const { chatId, sessionId, receive, write } = await newCustomer();
    await receive('Hi');
    bot.customerBlocks(chatId);
    await channel.stored(sessionId, ({ role, content }) => role === 'system' && /blocked/.test(content));
    const id = await channel.operatorSays(sessionId, { content: 'Hello?' });
    const failed = await channel.stored(sessionId, (one) => one.id === id && one.status === 'failed');
    assert.equal(failed.statusReason, 'The customer blocked the bot.');
    assert.equal((await channel.talks.session(sessionId)).needsAttention, true);

    const blocked = await newCustomer();
    const path = `/blocked-contacts/${blocked.chatId}`;
    const options = { body: { identifierType: 'chatbot' } };
    await channel.talks.expect(201, channel.service.call('POST', path, options));
    blocked.write('Let me in');
    bot.customerUnblocks(chatId);
    const { providerMsgId } = write('After it');
    await channel.stored(sessionId, withId(providerMsgId));
    const texts = (await channel.talks.messages(blocked.sessionId)).map(({ content }) => content);
    assert.deepEqual(texts, ['Welcome']);
  });

  it('waits as long as Telegram asks, and sends once', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await receive('Hi');
    bot.failNext({ on: (method) => method === 'sendMessage', status: 429, retryAfter: 1 });
    bot.failNext({ on: (method) => method === 'sendMessage', status: 502 });
    await channel.operatorSays(sessionId, { content: 'Patience' });
    await sent(1, 30_000);
  });

  it('stops with a wrong token, says so, and sends everything with the right one', async () => {
    const { sessionId, receive, sent, sentTexts } = await newCustomer();
    await receive('Hi');
    const token = '8200000001:AAAnotherTokenForTests_0123456789';
    bot.setToken(token);
    await channel.operatorSays(sessionId, { content: 'One' });
    await channel.stateIs('error');
    await channel.operatorSays(sessionId, { content: 'Two' });
    const { lastError } = await channel.connector();
    assert.match(lastError, /rejected the bot token/);
    await channel.change({ connector: { credentials: { botToken: token } } });
    await channel.stateIs('connected');
    await sent(2);
    assert.deepEqual(sentTexts(), ['One', 'Two']);
  });

  it('receives by webhook too, with the secret', async () => {
    const { sessionId, write, receive } = await newCustomer();
    await receive('By polling');
    await channel.change({ connector: { mode: 'webhook' } });
    await eventually(() => bot.calls('setWebhook').length === 1);
    await channel.stateIs('connected');
    assert.equal(await bot.deliverWithSecret('wrong'), 401);
    await receive('By webhook');
    assert.equal((await channel.act('disconnect')).state, 'disconnected');
    const { providerMsgId } = write('Meanwhile');
    await channel.act('connect');
    await channel.stored(sessionId, withId(providerMsgId));
  });
});
