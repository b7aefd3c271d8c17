import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { closeProviderLinks, providerLink } from '../../../../test/support/providers/provider-link.ts';
import { failureOf, testPart } from '../../../../test/support/providers/provider-tests.ts';
import {
  startTelegramServer,
  type TelegramServer,
} from '../../../../test/support/providers/telegram-server.ts';
import type { Inbound, InboundMessage, Link, OutboundFile } from '../connectors.provider.ts';
import { telegram } from './telegram.ts';

let server: TelegramServer;
let link: Link;
before(async () => {
  server = await startTelegramServer();
  const settings = { mode: 'polling', apiBase: server.url };
  link = providerLink({ settings, credentials: { botToken: server.token } });
});
after(async () => {
  await closeProviderLinks();
  await server.close();
});

const withToken = (botToken: string): Link =>
  providerLink({ settings: link.settings, credentials: { botToken } });
const translate = (update: object): Inbound[] =>
  telegram.translate(link, { text: JSON.stringify({ update_id: 8, ...update }), receivedAt: 5 });

const chat = { id: 77, type: 'private' };
const from = { id: 77, first_name: 'Ada', last_name: 'Lovelace', username: 'ada' };
const customer = { id: '77', identifiers: [{ kind: 'chatbot', value: '77' }], name: 'Ada Lovelace' };
const ofMessage = (content: object): InboundMessage => {
  const [one] = translate({ message: { message_id: 42, date: 1_749_416_383, chat, from, ...content } });
  assert.equal(one?.type, 'message');
  return one as InboundMessage;
};

describe('updates of Telegram', () => {
  it('become a message with its customer, its quote and its place', () => {
    const content = { text: 'Hi', reply_to_message: { message_id: 40 }, media_group_id: 'g' };
    assert.deepEqual(ofMessage(content), {
      type: 'message',
      key: 'message:77:42',
      customer,
      providerMsgId: '77:42',
      at: 1_749_416_383_000,
      order: 42,
      text: 'Hi',
      media: [],
      quoted: '77:40',
      isEcho: false,
      group: 'g',
    });
  });

  it('become files with their caption', () => {
    const file = { file_id: 'f', mime_type: 'a/b', file_name: 'n', file_size: 9 };
    const kinds: [content: object, kind: string, mimeType: string | null][] = [
      [{ photo: [{ file_id: 'small' }, { file_id: 'f', file_size: 9 }] }, 'image', 'image/jpeg'],
      [{ voice: { file_id: 'f', file_size: 9 } }, 'voice', 'audio/ogg'],
      [{ audio: file }, 'audio', 'a/b'],
      [{ video: file }, 'video', 'a/b'],
      [{ video_note: { file_id: 'f', file_size: 9 } }, 'video', 'video/mp4'],
      [{ animation: file, document: { ...file, file_id: 'same' } }, 'video', 'a/b'],
      [{ document: file }, 'document', 'a/b'],
    ];
    for (const [content, kind, mimeType] of kinds) {
      const { text, media } = ofMessage({ ...content, caption: 'Look' });
      assert.equal(text, 'Look');
      const fileName = media[0]?.fileName ?? null;
      assert.deepEqual(media, [{ ref: 'f', kind, mimeType, fileName, bytes: 9 }], kind);
    }
  });

  it('become a readable line with the payload where there is neither text nor file', () => {
    const location = { latitude: 52.5, longitude: 13.4 };
    const lines: [content: Record<string, unknown>, line: string][] = [
      [{ location }, 'Location: 52.5, 13.4'],
      [{ location: { ...location, live_period: 60 } }, 'Live location: 52.5, 13.4'],
      [
        { venue: { location, title: 'Café', address: 'Main St 1' } },
        'Location: Café, Main St 1 (52.5, 13.4)',
      ],
      [{ contact: { first_name: 'Bob', phone_number: '+4930123' } }, 'Contact: Bob, +4930123'],
      [{ sticker: { file_id: 's', emoji: '😀' } }, 'Sticker 😀'],
      [{ poll: { question: 'Tea?', options: [{ text: 'Yes' }, { text: 'No' }] } }, 'Poll: Tea? (Yes / No)'],
      [{ dice: { emoji: '🎲', value: 4 } }, 'Dice: 🎲 4'],
      [{ checklist: { title: 'Trip', tasks: [{ text: 'Pack' }] } }, 'Checklist: Trip (Pack)'],
      [{ story: { id: 1 } }, 'Story'],
      [{ hologram_call: { depth: 3 } }, 'Unsupported message (hologram call)'],
    ];
    for (const [content, line] of lines) {
      const { text, payload, media } = ofMessage(content);
      assert.deepEqual([text, payload, media], [line, content, []], line);
    }
    assert.equal(ofMessage({ venue: { title: 'Café' }, location }).text, 'Location: Café (?, ?)');
  });

  it('become edits, reactions and changes of reachability', () => {
    const edited = { message_id: 42, date: 1, edit_date: 2, chat, from, text: 'Hi!' };
    const changed = { key: 'update:8', customer };
    assert.deepEqual(translate({ edited_message: edited }), [
      { type: 'edited', ...changed, providerMsgId: '77:42', text: 'Hi!', at: 2_000 },
    ]);
    const silent = { ...edited, text: undefined, photo: [{ file_id: 'f' }], media_group_id: 'g' };
    assert.deepEqual(translate({ edited_message: silent }), []);
    const reaction = (new_reaction: object[]) =>
      translate({
        message_reaction: { chat: { id: 77 }, user: from, message_id: 42, date: 1, new_reaction },
      });
    const emojis = (found: Inbound[]) => found.map((one) => one.type === 'reaction' && one.emoji);
    assert.deepEqual(reaction([{ type: 'emoji', emoji: '👍' }]), [
      { type: 'reaction', ...changed, providerMsgId: '77:42', emoji: '👍', at: 1_000 },
    ]);
    assert.deepEqual(emojis(reaction([])), [null]);
    assert.deepEqual(emojis(reaction([{ type: 'custom_emoji', custom_emoji_id: '1' }])), ['⭐']);
    const member = (status: string) =>
      translate({ my_chat_member: { chat, from, date: 1, new_chat_member: { status } } });
    assert.deepEqual(member('kicked'), [{ type: 'reachable', ...changed, isReachable: false, at: 1_000 }]);
    assert.deepEqual(member('member'), [{ type: 'reachable', ...changed, isReachable: true, at: 1_000 }]);
  });

  it('keep the name of the chat where the sender is left out', () => {
    const own = { id: 77, type: 'private', first_name: 'Ada' };
    const [one] = translate({ message: { message_id: 1, date: 1, chat: own, text: 'Hi' } });
    assert.deepEqual(one?.type === 'message' && one.customer.name, 'Ada');
  });

  it('are ignored in groups, as events of the chat, and where they cannot be read', () => {
    const message = { message_id: 1, date: 1, chat, from };
    const ignored = [
      { message: { ...message, chat: { id: -5, type: 'supergroup' }, text: 'Hi' } },
      { message: { ...message, pinned_message: { message_id: 2 } } },
      { message },
      { message: { ...message, chat: null, text: 'Hi' } },
      { message: { ...message, message_id: 'x', text: 'Hi' } },
      { message: 7 },
      { message_reaction: { chat: { id: 77 } } },
      { my_chat_member: { chat } },
      { channel_post: { text: 'Hi' } },
      { update_id: 'x', message: { ...message, text: 'Hi' } },
    ];
    for (const update of ignored) assert.deepEqual(translate(update), [], JSON.stringify(update));
    for (const text of ['', 'null', '[]', '{', '"x"']) {
      assert.deepEqual(telegram.translate(link, { text, receivedAt: 1 }), [], text);
    }
  });
});

describe('a bot that is polled', () => {
  it('receives each update once, goes on after the cursor, and reads a batch', async () => {
    await telegram.connect(link);
    const { signal } = new AbortController();
    server.customerWrites('One');
    const first = await telegram.poll!(link, null, signal, async () => {});
    assert.equal(first.bodies.length, 1);
    server.hold();
    server.customerWrites('Two');
    server.customerWrites('Three', { chatId: 78, omitSender: true });
    server.release('reversed');
    const second = await telegram.poll!(link, first.cursor, signal, async () => {});
    const texts = second.bodies.flatMap((text) => telegram.translate(link, { text, receivedAt: 1 }));
    assert.deepEqual(texts.map((one) => one.type === 'message' && one.text).sort(), ['Three', 'Two']);
    const waiting = telegram.poll!(link, second.cursor, signal, async () => {});
    server.customerWrites('Four');
    assert.equal((await waiting).bodies.length, 1);
    const { params } = server.calls('getUpdates').at(-1)!;
    assert.ok((params.allowed_updates as string[]).includes('message_reaction'));
  });

  it('removes a webhook that another program set, and retries when another program polls', async () => {
    const { signal } = new AbortController();
    const webhook = { ...link, settings: { ...link.settings, mode: 'webhook' } };
    assert.equal(telegram.polls!(webhook.settings), false);
    await telegram.connect(webhook);
    const { errorClass, message } = await failureOf(telegram.poll!(link, null, signal, async () => {}));
    assert.deepEqual([errorClass, /Another program/.test(message)], ['retry', true]);
    const { cursor } = await telegram.poll!(link, null, signal, async () => {});
    const first = failureOf(telegram.poll!(link, cursor, signal, async () => {}));
    await eventually(() => server.calls('getUpdates').at(-1)?.params.offset === Number(cursor));
    const second = telegram.poll!(link, cursor, signal, async () => {});
    assert.equal((await first).errorClass, 'retry');
    server.customerWrites('Again');
    await second;
  });
});

it('a request to the webhook needs the secret', () => {
  const request = (token?: string, method: 'GET' | 'POST' = 'POST') => ({
    method,
    url: link.inboundUrl,
    query: {},
    headers: (token === undefined ? {} : { 'x-telegram-bot-api-secret-token': token }) as Record<
      string,
      string
    >,
    body: Buffer.from('{"update_id":1}'),
  });
  assert.deepEqual(telegram.verify(link, request(link.secret)), { status: 200, accepted: '{"update_id":1}' });
  const wrong = { status: 401, accepted: null };
  for (const token of [undefined, '', 'B'.repeat(32), `${link.secret}A`]) {
    assert.deepEqual(telegram.verify(link, request(token)), wrong);
  }
  assert.deepEqual(telegram.verify(link, request(link.secret, 'GET')), wrong);
});

describe('sending with Telegram', () => {
  const bytes = Buffer.from('file');
  const file = (kind: OutboundFile['kind'], mimeType: string): OutboundFile => ({
    kind,
    name: 'name.bin',
    mimeType,
    bytes,
    url: null,
  });
  before(() => void server.customerWrites('Hello'));

  it('sends a text that quotes a message', async () => {
    const { messageId } = server.customerWrites('A question');
    const part = testPart('77', { text: '<b>Yes</b> &amp; no', quoted: `77:${messageId}` });
    const { providerMsgId, status } = await telegram.send(link, part);
    const sent = server.sent().at(-1)!;
    assert.deepEqual([sent.providerMsgId, status], [providerMsgId, 'sent']);
    assert.deepEqual([sent.text, sent.parseMode, sent.replyTo], [part.text, 'HTML', messageId]);
  });

  it('sends each kind of file by its own method, with the caption', async () => {
    const kinds: [file: OutboundFile, method: string][] = [
      [file('image', 'image/jpeg'), 'sendPhoto'],
      [file('image', 'image/gif'), 'sendDocument'],
      [file('voice', 'audio/ogg; codecs=opus'), 'sendVoice'],
      [file('audio', 'audio/mpeg'), 'sendAudio'],
      [file('video', 'video/mp4'), 'sendVideo'],
      [file('video', 'video/webm'), 'sendDocument'],
      [file('document', 'application/pdf'), 'sendDocument'],
    ];
    for (const [one, method] of kinds) {
      await telegram.send(link, testPart('77', { text: 'Look', file: one, quoted: '77:1' }));
      const sent = server.sent().at(-1)!;
      assert.deepEqual([sent.method, sent.text, sent.replyTo], [method, 'Look', 1]);
      assert.deepEqual([sent.file?.name, sent.file?.bytes], ['name.bin', bytes]);
    }
  });

  it('sends without the quote when the quoted message is gone, and plainly when the tags are rejected', async () => {
    await telegram.send(link, testPart('77', { text: '<b>Old', quoted: '77:9999' }));
    const { text, parseMode, replyTo } = server.sent().at(-1)!;
    assert.deepEqual([text, parseMode, replyTo], ['Old', null, null]);
  });

  it('sends a picture as a document when Telegram does not show it', async () => {
    server.failNext({ status: 400, message: 'Bad Request: PHOTO_INVALID_DIMENSIONS' });
    await telegram.send(link, testPart('77', { file: file('image', 'image/png') }));
    assert.equal(server.sent().at(-1)!.method, 'sendDocument');
  });

  it('tells apart what can be retried, what is final and what is a matter of the token', async () => {
    const send = (own: Link = link, chatId = '77') =>
      failureOf(telegram.send(own, testPart(chatId, { text: 'Hi' })));
    server.failNext({ status: 429, retryAfter: 35 });
    assert.deepEqual(await send(), {
      errorClass: 'retry',
      message: 'Telegram asks to send more slowly.',
      waitMs: 35_000,
    });
    server.failNext({ status: 502 });
    assert.equal((await send()).errorClass, 'retry');
    const before = server.sent().length;
    server.failNext({ drop: 'after' });
    assert.equal((await send()).errorClass, 'lost');
    assert.equal(server.sent().length, before + 1);
    assert.equal((await send(link, '404')).errorClass, 'final');
    assert.match((await send(link, 'not a chat')).message, /no Telegram chat/);
    server.customerBlocks();
    const blocked = await send();
    server.customerUnblocks();
    assert.deepEqual([blocked.errorClass, blocked.message], ['final', 'The customer blocked the bot.']);
    for (const token of ['8200000001:wrong', 'not-a-token', 'a/../b']) {
      const failure = await send(withToken(token));
      assert.equal(failure.errorClass, 'credentials', token);
      assert.ok(!failure.message.includes(token), failure.message);
    }
  });

  it('follows a chat that became another one', async () => {
    server.customerWrites('Hello', { chatId: 79 });
    const calls: unknown[] = [];
    const moved: Link = {
      ...link,
      async call(request) {
        calls.push((request.json as { chat_id: number }).chat_id);
        if (calls.length > 1) return link.call(request);
        const parameters = { migrate_to_chat_id: 79 };
        const json = { ok: false, error_code: 400, description: 'group migrated', parameters };
        return { status: 400, headers: {}, bytes: Buffer.alloc(0), json };
      },
    };
    const { providerMsgId } = await telegram.send(moved, testPart('77', { text: 'Hi' }));
    assert.deepEqual([calls, providerMsgId.split(':')[0]], [[77, 79], '79']);
  });

  it('sets and removes a reaction, and shows typing', async () => {
    const to = { customerId: '77', identifiers: [] };
    await telegram.react!(link, to, '77:1', false, '❤️');
    await telegram.react!(link, to, '77:1', false, null);
    const reactions = server.calls('setMessageReaction').map(({ params }) => params.reaction);
    assert.deepEqual(reactions, [[{ type: 'emoji', emoji: '❤' }], []]);
    await telegram.typing!(link, to);
    assert.deepEqual(server.calls('sendChatAction').at(-1)!.params, { chat_id: 77, action: 'typing' });
  });
});

it('a file is fetched with its name, and is gone when Telegram no longer has it', async () => {
  const bytes = Buffer.from('picture');
  const ref = server.addFile(bytes, 'photos/file 1.jpg');
  const media = { ref, kind: 'image' as const, mimeType: 'image/jpeg', fileName: null, bytes: 7 };
  const fetched = await telegram.fetchMedia(link, media, 1_000);
  assert.deepEqual(fetched, { bytes, mimeType: 'image/jpeg', fileName: 'file 1.jpg' });
  server.failNext({
    on: (method) => method === 'getFile',
    status: 400,
    message: 'Bad Request: file is too big',
  });
  assert.match((await failureOf(telegram.fetchMedia(link, media, 1_000))).message, /20 MB/);
  server.expireFiles();
  assert.equal((await failureOf(telegram.fetchMedia(link, media, 1_000))).errorClass, 'gone');
});

it('the check names the bot, or says that the token is wrong', async () => {
  assert.deepEqual(await telegram.check(link), { detail: 'Connected as @shop_bot (Shop).' });
  assert.equal((await failureOf(telegram.check(withToken('8200000001:wrong')))).errorClass, 'credentials');
});

it('webhook mode tells Telegram the address, the secret and the updates', async () => {
  await telegram.connect({ ...link, settings: { ...link.settings, mode: 'webhook' } });
  const { url, secret_token, allowed_updates } = server.calls('setWebhook').at(-1)!.params;
  assert.deepEqual([url, secret_token], [link.inboundUrl, link.secret]);
  assert.deepEqual(allowed_updates, ['message', 'edited_message', 'message_reaction', 'my_chat_member']);
});
