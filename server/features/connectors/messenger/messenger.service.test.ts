/** Messenger and Instagram from the first message to the last receipt: a whole service and a fake Meta. */
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
  type MessengerServer,
  startMessengerServer,
} from '../../../../test/support/providers/messenger-server.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import type { Json } from '../../../../test/support/service.ts';
import { readMigrations } from '../../../platform/db/migrate.ts';
import { sql } from '../../../platform/db/sql.ts';

let page: MessengerServer;
let channel: ConnectedChannel;
let customers = 0;

const connectorOf = ({ url, pageId, platform, accessToken, appSecret, verifyToken }: MessengerServer) => ({
  kind: 'messenger',
  apiBase: url,
  pageId,
  platform,
  credentials: { accessToken, appSecret, verifyToken },
});

before(async () => {
  page = await startMessengerServer();
  channel = await startConnectedChannel('chatapp', connectorOf(page));
  page.inboundUrl = `${channel.files.base}/connect/${channel.id}`;
});
after(async () => {
  await channel?.close();
  await page?.close();
});

async function newCustomer() {
  const id = String(7_000_000_000_000_000 + customers++);
  const sessionId = await channel.quietSession('messenger', id);
  const receive = async (message: Parameters<MessengerServer['customerWrites']>[1]): Promise<Json> => {
    const { mid, status } = await page.customerWrites(id, message);
    assert.equal(status, 200);
    return channel.stored(sessionId, withId(mid));
  };
  const sent = async (count: number, withinMs?: number) => {
    await eventually(() => page.sent(id).length >= count, withinMs);
    assert.equal(page.sent(id).length, count);
    return page.sent(id);
  };
  const statusIs = (messageId: string, status: string) =>
    channel.stored(sessionId, (one) => one.id === messageId && one.status === status, 30_000);
  return { id, sessionId, receive, sent, statusIs };
}

describe('conversations of a page', () => {
  it('begin with a handshake, and the AI replies', async () => {
    assert.equal((await channel.act('check')).ok, true);
    const { status, body } = await page.handshake();
    assert.deepEqual([status, body], [200, '1158201444']);
    assert.equal((await page.handshake({ token: 'wrong' })).status, 403);
    // As long as a phone number, and none.
    const customer = '7001234567890123';
    page.names.set(customer, 'Ada Lovelace');
    const { mid } = await page.customerWrites(customer, 'What is Talkboard?');
    const sessionId = `messenger:${customer}`;
    await channel.stored(sessionId, withId(mid));
    const [reply] = await channel.talks.replied(sessionId);
    const linked = (one: Json) => one.id === reply!.id && one.providerMsgId !== null;
    const marked = await channel.stored(sessionId, linked, 30_000);
    const [sent] = page.sent(customer);
    assert.deepEqual([marked.providerMsgId, sent!.messagingType], [sent!.mid, 'RESPONSE']);
    const { externalUserId, sessionName, contactId } = await channel.talks.session(sessionId);
    assert.deepEqual([externalUserId, sessionName], [customer, 'Ada Lovelace']);
    const contact = await channel.talks.expect(200, channel.service.call('GET', `/contacts/${contactId}`));
    const identifiers = contact.identifiers.map(({ kind, value }: Json) => [kind, value]);
    assert.deepEqual(identifiers, [['chatapp', customer]]);
    // As the releases before stored it; the migration makes it what it is.
    const { db } = channel.service.context;
    await db.autocommit(
      sql`update contact_identifiers set kind = 'phone', key = 'phone:' || value where contact_id = ${contactId}`,
    );
    const migration = readMigrations().find(({ name }) => name.includes('messenger_ids'))!;
    const client = await db.connect();
    await client.query(`begin; ${migration.text}; commit`);
    client.release();
    const [row] = await db.query(
      sql`select kind, key from contact_identifiers where contact_id = ${contactId}`,
    );
    assert.deepEqual(row, { kind: 'chatapp', key: `chatapp:${customer}` });
  });

  it('are stored once and in order, and only with the right signature', async () => {
    const { id, sessionId, receive } = await newCustomer();
    await receive('One');
    const now = Date.now();
    const late = ['Five', 'Three', 'Four', 'Two'].map((text, index) => {
      const message = { mid: page.newMid(), text };
      return page.event(id, { message }, now + [4, 2, 3, 1][index]!);
    });
    assert.equal(await page.deliverEvents(late), 200);
    assert.ok((await page.redeliver('reversed')).every((status) => status === 200));
    await channel.stored(sessionId, (one) => one.content === 'Five');
    await receive('Six');
    const texts = (await channel.talks.messages(sessionId)).map(({ content }) => content);
    assert.deepEqual(texts, ['Welcome', 'One', 'Two', 'Three', 'Four', 'Five', 'Six']);
    const forged = { object: 'page', entry: [{ id: page.pageId, messaging: late }] };
    for (const signature of [null, 'sha256=00']) assert.equal(await page.deliver(forged, signature), 401);
  });

  it('are sent plain, a long one in numbered parts, and read by a watermark', async () => {
    const { id, sessionId, receive, sent, statusIs } = await newCustomer();
    await receive('Hi');
    const bold = await channel.operatorSays(sessionId, { content: '**Bold** text' });
    assert.equal((await sent(1))[0]!.text, 'Bold text');
    const content = 'One of many sentences. '.repeat(120).trim();
    const long = await channel.operatorSays(sessionId, { content });
    const parts = (await sent(3)).slice(1);
    assert.deepEqual(
      parts.map(({ text }) => text!.slice(0, 6)),
      ['(1/2) ', '(2/2) '],
    );
    await statusIs(long, 'sent');
    const [first] = parts;
    await page.deliverEvents([page.event(id, { delivery: { mids: [first!.mid], watermark: 1 } })]);
    await page.deliverEvents([page.event(id, { delivery: { watermark: Date.now() + 1 } })]);
    await statusIs(long, 'delivered');
    await page.deliverEvents([page.event(id, { read: { watermark: Date.now() + 1 } })]);
    await statusIs(long, 'read');
    await statusIs(bold, 'read');
  });

  it('take receipts and echoes that come before the answer', async () => {
    const { sessionId, receive, sent, statusIs } = await newCustomer();
    await receive('Hi');
    page.receiptsBeforeAnswer = ['echo', 'read', 'delivery'];
    const early = await channel.operatorSays(sessionId, { content: 'Early' });
    await statusIs(early, 'read');
    page.receiptsBeforeAnswer = [];
    await sent(1);
    const texts = (await channel.talks.messages(sessionId)).map(({ content }) => content);
    assert.deepEqual(texts, ['Welcome', 'Hi', 'Early']);
  });

  it('have echoes of what was written in the page’s inbox', async () => {
    const { id, sessionId, receive } = await newCustomer();
    await receive('Hi');
    const mid = page.newMid();
    await page.deliverEvents([page.echoOf({ to: id, mid, text: 'From the inbox' })]);
    const echo = await channel.stored(sessionId, withId(mid));
    assert.deepEqual([echo.isEcho, echo.content], [true, 'From the inbox']);
  });

  it('bring files, name those that are gone, and bring everything else as a line', async () => {
    const { receive } = await newCustomer();
    const file = (type: string, contentType: string, name: string) => {
      const url = page.addFile(sampleFiles[contentType]!(), contentType, name);
      return { type, payload: { url } };
    };
    const kinds = [
      ['image', 'image/jpeg'],
      ['video', 'video/mp4'],
      ['audio', 'audio/mpeg'],
      ['file', 'application/pdf'],
    ] as const;
    const all = await receive({
      text: 'Look',
      attachments: kinds.map(([type, contentType]) => file(type, contentType, `my-${type}`)),
    });
    assert.equal(all.content, 'Look');
    assert.deepEqual(
      all.attachments.map((one: Json) => [one.contentType, one.size]),
      kinds.map(([, contentType]) => [contentType, sampleFiles[contentType]!().length]),
    );
    assert.equal(all.attachments[3].fileName, 'my-file');
    const lost = file('file', 'application/pdf', 'old.pdf');
    page.expireFiles();
    const gone = await receive({ attachments: [lost] });
    assert.match(gone.content, /old\.pdf.*no longer exists/);
    const share = { attachments: [{ type: 'share', payload: { url: 'https://example.com/p' } }] };
    const shared = await receive(share);
    assert.equal(shared.content, 'Shared post: https://example.com/p');
    assert.deepEqual(shared.data.providerPayload.attachments, share.attachments);
  });

  it('take every kind of file along, and voice messages both ways', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await channel.change({ settings: { transcribe: 'all' } });
    const url = page.addFile(clip('order.m4a'), 'audio/mp4', 'audioclip.mp4');
    const { id } = await receive({ attachments: [{ type: 'audio', payload: { url } }] });
    const heard = (one: Json) => one.id === id && one.attachments[0].transcript !== undefined;
    const { attachments } = await channel.stored(sessionId, heard, 30_000);
    assert.equal(attachments[0].transcript.text, 'Where is my order?');
    const kinds = [
      ['image', 'image/png'],
      ['video', 'video/mp4'],
      ['file', 'application/pdf'],
    ] as const;
    const uploads = kinds.map(([type, mime]) =>
      channel.files.upload(mime, sampleFiles[mime]!(), `my ${type}`),
    );
    await channel.operatorSays(sessionId, { content: 'Look', attachments: await Promise.all(uploads) });
    const [text, ...files] = await sent(1 + kinds.length, 30_000);
    assert.equal(text!.text, 'Look');
    assert.deepEqual(
      files.map(({ attachment }) => [attachment?.type, attachment?.upload?.bytes]),
      kinds.map(([type, mime]) => [type, sampleFiles[mime]!()]),
    );
    const voice = await channel.files.upload('audio/mpeg', clip('order.mp3'), 'order.mp3');
    await channel.operatorSays(sessionId, { content: '', attachments: [voice] });
    const audio = (await sent(2 + kinds.length, 60_000)).at(-1);
    assert.equal(audio!.attachment?.type, 'audio');
    assert.equal(audio!.attachment?.upload?.bytes.subarray(0, 4).toString(), 'OggS');
  });

  it('have quotes and reactions both ways, edits, deletions and buttons', async () => {
    const { id, sessionId, receive, sent } = await newCustomer();
    const question = await receive('Is it open?');
    await channel.operatorSays(sessionId, { content: 'Yes', replyToMessageId: question.id });
    const [reply] = await sent(1);
    assert.equal(reply!.quoted, question.providerMsgId);
    const ours = await channel.stored(sessionId, withId(reply!.mid));
    const quoting = await receive({ text: 'Great', reply_to: { mid: reply!.mid } });
    assert.equal(quoting.replyToMessageId, ours.id);
    const react = (action: string) =>
      page.event(id, { reaction: { mid: reply!.mid, action, emoji: '❤️', reaction: 'love' } });
    await page.deliverEvents([react('react')]);
    await channel.stored(sessionId, (one) => one.id === ours.id && one.reactions[0] === '❤️');
    await page.deliverEvents([react('unreact')]);
    await channel.stored(sessionId, (one) => one.id === ours.id && one.reactions.length === 0);
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages/reactions`;
    const { providerMsgId } = question;
    const body = { providerMsgId, action: 'upsert', emoji: '👍' };
    await channel.talks.expect(200, channel.service.call('POST', path, { body }));
    await eventually(() => page.actions(id).some(({ payload }) => payload.reaction === '👍'));
    const edit = { mid: providerMsgId, text: 'Is it open today?', num_edit: 1 };
    await page.deliverEvents([page.event(id, { message_edit: edit })]);
    const edited = (one: Json) => one.id === question.id && one.editedAt !== null;
    assert.equal((await channel.stored(sessionId, edited)).content, 'Is it open today?');
    await page.deliverEvents([page.event(id, { message: { mid: providerMsgId, is_deleted: true } })]);
    await channel.stored(sessionId, (one) => one.id === question.id && one.deletedAt !== null);
    const mid = page.newMid();
    await page.deliverEvents([page.event(id, { postback: { mid, title: 'Call me', payload: 'CALL' } })]);
    const pressed = await channel.stored(sessionId, withId(mid));
    assert.deepEqual([pressed.content, pressed.data.providerPayload.payload], ['Call me', 'CALL']);
  });

  it('are not sent twice when the answer was lost: the echo has our id', async () => {
    const { sessionId, receive, sent, statusIs } = await newCustomer();
    await receive('Hi');
    page.failNext({ on: (name) => name.endsWith('/messages'), drop: 'after' });
    const id = await channel.operatorSays(sessionId, { content: 'Only once' });
    const [one] = await sent(1);
    await page.deliverEvents([page.echoOf(one!)]);
    assert.equal((await statusIs(id, 'sent')).providerMsgId, one!.mid);
    await sent(1);
  });

  it('are retried when Meta is busy or down, and fail with a reason where nothing helps', async () => {
    const { id, sessionId, receive, sent, statusIs } = await newCustomer();
    await receive('Hi');
    const on = (name: string) => name.endsWith('/messages');
    page.failNext({ on, status: 400, code: 613 });
    page.failNext({ on, status: 503, code: 2 });
    await statusIs(await channel.operatorSays(sessionId, { content: 'At last' }), 'sent');
    await sent(1);
    page.unreachable.add(id);
    const failed = await statusIs(await channel.operatorSays(sessionId, { content: 'Hello?' }), 'failed');
    assert.match(failed.statusReason, /cannot be reached/);
    assert.equal((await channel.talks.session(sessionId)).needsAttention, true);
  });

  it('are sent for people only after 24 hours, with HUMAN_AGENT, and not at all after seven days', async () => {
    const day = 24 * 3_600_000;
    const { id, sessionId, sent, statusIs } = await newCustomer();
    const writes = async (customer: string, at: number) => {
      const mid = page.newMid();
      const message = { mid, text: 'What is Talkboard?' };
      assert.equal(await page.deliverEvents([page.event(customer, { message }, at)]), 200);
      await channel.stored(`messenger:${customer}`, withId(mid));
    };
    await writes(id, Date.now() - 8 * day);
    const says = { content: 'Too late' };
    const late = await channel.talks.operatorSays(channel.id, encodeURIComponent(sessionId), says);
    assert.deepEqual([late.status, late.body.code], [409, 'WINDOW_CLOSED']);
    assert.doesNotMatch(late.text, /template/);
    const at = Date.now() - 2 * day;
    await writes(id, at);
    assert.equal((await channel.talks.session(sessionId)).windowClosesAt, at + day);
    page.closedFor.add(id);
    await statusIs(await channel.operatorSays(sessionId, { content: 'By a person' }), 'sent');
    const [one] = await sent(1);
    assert.deepEqual(
      [one!.text, one!.messagingType, one!.tag],
      ['By a person', 'MESSAGE_TAG', 'HUMAN_AGENT'],
    );
    await writes('6998', at);
    const [reply] = await channel.talks.replied('messenger:6998');
    assert.equal(reply!.held, true);
    assert.deepEqual(page.sent('6998'), []);
  });

  it('of a blocked contact are dropped', async () => {
    const blocked = await newCustomer();
    const path = `/blocked-contacts/${blocked.id}`;
    const body = { identifierType: 'chatapp' };
    await channel.talks.expect(201, channel.service.call('POST', path, { body }));
    assert.equal((await page.customerWrites(blocked.id, 'Let me in')).status, 200);
    const { receive } = await newCustomer();
    await receive('After it');
    await eventually(async () => {
      const { body: list } = await channel.service.call('GET', '/blocked-contacts');
      return list.items.some((one: Json) => one.droppedCount === 1);
    });
    const texts = (await channel.talks.messages(blocked.sessionId)).map(({ content }) => content);
    assert.deepEqual(texts, ['Welcome']);
  });

  it('wait while the token is wrong, and go out with the right one', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await receive('Hi');
    const accessToken = 'EAAanother-token';
    page.setAccessToken(accessToken);
    await channel.operatorSays(sessionId, { content: 'One' });
    await channel.stateIs('error');
    await channel.operatorSays(sessionId, { content: 'Two' });
    assert.match((await channel.connector()).lastError, /rejected the access token/);
    await channel.change({ connector: { credentials: { accessToken } } });
    await channel.stateIs('connected');
    const texts = (await sent(2, 20_000)).map(({ text }) => text);
    assert.deepEqual(texts, ['One', 'Two']);
  });
});
