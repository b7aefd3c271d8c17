/** WhatsApp from the handshake to the last receipt: a whole service and a fake Cloud API. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clip } from '../../../../test/support/audio.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import {
  type ConnectedChannel,
  startConnectedChannel,
  withId,
} from '../../../../test/support/providers/connected-channel.ts';
import { challenge } from '../../../../test/support/providers/meta-server.ts';
import {
  changedIdentity,
  changeOf,
  deliveryOf,
  echoOf,
  messageOf,
  metadata,
  numberIds,
  type Sender,
  valueWith,
} from '../../../../test/support/providers/whatsapp-messages.ts';
import {
  startWhatsappServer,
  type WhatsappServer,
} from '../../../../test/support/providers/whatsapp-server.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import type { Json } from '../../../../test/support/service.ts';

let whatsapp: WhatsappServer;
let channel: ConnectedChannel;
let customers = 0;

before(async () => {
  whatsapp = await startWhatsappServer();
  const { url: apiBase, accessToken, appSecret, verifyToken } = whatsapp;
  channel = await startConnectedChannel('chatapp', {
    kind: 'whatsapp_cloud',
    apiBase,
    ...numberIds,
    credentials: { accessToken, appSecret, verifyToken },
  });
  whatsapp.inboundUrl = `${channel.files.base}/connect/${channel.id}`;
});
after(async () => {
  await channel?.close();
  await whatsapp?.close();
});

const kind = 'whatsapp_cloud';

/** Has written once, so that free texts may be sent. */
async function newCustomer() {
  const from = `5511${900_000_000 + customers++}`;
  const sessionId = await channel.quietSession(kind, from);
  const receive = async (content: string | Json, own?: Json) => {
    const { id, status } = await whatsapp.customerWrites(content, { from, own });
    assert.equal(status, 200);
    return channel.stored(sessionId, withId(id));
  };
  const sent = async (count: number, withinMs?: number) => {
    await eventually(() => whatsapp.sent(from).length >= count, withinMs);
    assert.equal(whatsapp.sent(from).length, count);
    return whatsapp.sent(from);
  };
  const first = await receive('Hi');
  return { from, sessionId, receive, sent, first };
}

const hasStatus = (id: string, status: string) => (one: Json) => one.id === id && one.status === status;

describe('WhatsApp', () => {
  it('is entered in the console with a handshake, and subscribed', async () => {
    const { status, body, type } = await whatsapp.handshake();
    assert.deepEqual([status, body], [200, challenge]);
    assert.match(type, /^text\/plain/);
    assert.equal((await whatsapp.handshake({ token: 'other' })).status, 403);
    assert.equal(whatsapp.subscriptions, 1);
    const check = await channel.act('check');
    assert.equal(check.ok, true);
    assert.match(check.detail, /555-078-3881/);
    const shown = await channel.connector();
    assert.deepEqual([shown.graphVersion, shown.hasCredentials, shown.lastError], ['v25.0', true, null]);
    assert.ok(!JSON.stringify(shown).includes(whatsapp.accessToken));
  });

  it('is answered by the AI, which reads and types', async () => {
    const from = '5511800000000';
    const { id } = await whatsapp.customerWrites('What is Talkboard?', { from });
    const sessionId = `${kind}:${from}`;
    await channel.stored(sessionId, withId(id));
    const [reply] = await channel.talks.replied(sessionId);
    await channel.stored(sessionId, (one) => one.id === reply!.id && one.providerMsgId !== null);
    assert.equal(whatsapp.sent(from).length, 1);
    await eventually(() => whatsapp.read.includes(id));
    const session = await channel.talks.session(sessionId);
    assert.deepEqual([session.externalUserId, session.sessionName], [from, 'Sheena']);
  });

  it('stores a batch once and in its order, and only with the right signature', async () => {
    const { from, sessionId } = await newCustomer();
    const now = Math.floor(Date.now() / 1000);
    const batch = Array.from({ length: 12 }, (_, index) =>
      messageOf(`No ${index}`, { timestamp: String(now + index) }),
    );
    const bodies = [batch.slice(6).toReversed(), batch.slice(0, 6)].map((list) =>
      deliveryOf(changeOf(valueWith(list, { from }))),
    );
    for (const body of bodies) assert.equal(await whatsapp.deliver(body), 200);
    const statuses = await whatsapp.redeliver('reversed');
    assert.ok(statuses.every((status) => status === 200));
    await channel.stored(sessionId, withId(String(batch[0]!.id)), 60_000);
    await eventually(async () => (await channel.talks.messages(sessionId)).length === 14, 60_000);
    const texts = (await channel.talks.messages(sessionId)).map(({ content }) => content).slice(2);
    assert.deepEqual(
      texts,
      batch.map((_, index) => `No ${index}`),
    );
    for (const signature of [null, 'sha256=00']) {
      assert.equal(await whatsapp.deliver(bodies[0], signature), 401);
    }
  });

  it('sends text, split where it is long, and applies receipts that come early', async () => {
    const { sessionId, sent } = await newCustomer();
    const long = await channel.operatorSays(sessionId, {
      content: 'This sentence is one of many. '.repeat(200).trim(),
    });
    const parts = await sent(2);
    assert.deepEqual(
      parts.map(({ text }) => text.slice(0, 6)),
      ['(1/2) ', '(2/2) '],
    );
    for (const part of parts) await whatsapp.reportStatus(part, 'delivered');
    await channel.stored(sessionId, hasStatus(long, 'delivered'));
    whatsapp.statusesBeforeAnswer = ['sent', 'read'];
    const early = await channel.operatorSays(sessionId, { content: '**Bold**' });
    await channel.stored(sessionId, hasStatus(early, 'read'));
    whatsapp.statusesBeforeAnswer = [];
    assert.equal((await sent(3))[2]!.text, '*Bold*');
    const late = await channel.operatorSays(sessionId, { content: 'Too late' });
    const errors = [{ code: 131047, title: 'Re-engagement message' }];
    await whatsapp.reportStatus((await sent(4))[3]!, 'failed', { errors });
    const failed = await channel.stored(sessionId, hasStatus(late, 'failed'));
    assert.match(failed.statusReason, /24 hours/);
  });

  it('receives every kind of file, and names those that are gone', async () => {
    const { receive } = await newCustomer();
    const kinds = [
      ['image', 'image/jpeg'],
      ['video', 'video/mp4'],
      ['document', 'application/pdf'],
      ['audio', 'audio/mpeg'],
      ['sticker', 'image/webp'],
    ] as const;
    for (const [type, mimeType] of kinds) {
      const bytes = sampleFiles[mimeType]!();
      const file = { id: whatsapp.addMedia(bytes, mimeType), mime_type: mimeType, caption: 'Look' };
      const message = await receive({ type, [type]: { ...file, filename: `my ${type}` } });
      const [attachment] = message.attachments;
      assert.deepEqual([attachment.contentType, attachment.size], [mimeType, bytes.length], type);
      assert.equal(message.content, type === 'sticker' ? 'Sticker' : 'Look');
      assert.equal(attachment.fileName, `my ${type}`);
    }
    const expired = { id: whatsapp.addMedia(Buffer.from('x'), 'application/pdf'), filename: 'bill.pdf' };
    whatsapp.expireMedia();
    const gone = await receive({ type: 'document', document: expired });
    assert.match(gone.content, /bill\.pdf.*no longer exists/);
    assert.deepEqual(gone.attachments, []);
  });

  it('shows other kinds as a line with their data', async () => {
    const { receive } = await newCustomer();
    const location = { latitude: 1, longitude: 2, name: 'Office' };
    const place = await receive({ type: 'location', location });
    assert.equal(place.content, 'Location: Office (1, 2)');
    assert.deepEqual(place.data.providerPayload, { location });
    const errors = [{ code: 131051, title: 'Message type is currently not supported.' }];
    const unsupported = await receive({ type: 'unsupported', errors });
    assert.equal(unsupported.content, 'Unsupported message: Message type is currently not supported.');
    const button = { text: 'Yes, please', payload: 'yes' };
    assert.equal((await receive({ type: 'button', button })).content, 'Yes, please');
  });

  it('sends files, with the text as their caption, and large pictures as documents', async () => {
    const { sessionId, sent } = await newCustomer();
    const png = sampleFiles['image/png']!();
    const large = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]);
    const attachments = await Promise.all([
      channel.files.upload('image/png', png, 'picture.png'),
      channel.files.upload('application/pdf', sampleFiles['application/pdf']!(), 'bill.pdf'),
      channel.files.upload('video/mp4', sampleFiles['video/mp4']!(), 'film.mp4'),
      channel.files.upload('image/png', large, 'large.png'),
    ]);
    await channel.operatorSays(sessionId, { content: 'Look', attachments });
    const parts = await sent(4, 60_000);
    assert.deepEqual(
      parts.map(({ type, text }) => [type, text]),
      [
        ['image', 'Look'],
        ['document', ''],
        ['video', ''],
        ['document', ''],
      ],
    );
    assert.deepEqual(parts[0]!.upload?.bytes, png);
    assert.equal(parts[1]!.body.document.filename, 'bill.pdf');
  });

  it('carries voice messages both ways', async () => {
    const { sessionId, sent, receive } = await newCustomer();
    const id = whatsapp.addMedia(clip('order.ogg'), 'audio/ogg; codecs=opus');
    const message = await receive({ type: 'audio', audio: { id, mime_type: 'audio/ogg', voice: true } });
    const heard = (one: Json) => one.id === message.id && one.attachments[0].transcript !== undefined;
    const { attachments } = await channel.stored(sessionId, heard, 30_000);
    assert.equal(attachments[0].transcript.text, 'Where is my order?');
    const file = await channel.files.upload('audio/mpeg', clip('order.mp3'), 'order.mp3');
    await channel.operatorSays(sessionId, { content: '', attachments: [file] });
    const [voice] = await sent(1, 60_000);
    assert.deepEqual([voice!.type, voice!.body.audio.voice], ['audio', true]);
    assert.equal(voice!.upload?.bytes.subarray(0, 4).toString(), 'OggS');
  });

  it('carries quotes and reactions both ways', async () => {
    const { sessionId, sent, receive, first } = await newCustomer();
    await channel.operatorSays(sessionId, { content: 'Yes?', replyToMessageId: first.id });
    const [question] = await sent(1);
    assert.deepEqual(question!.body.context, { message_id: first.providerMsgId });
    const ours = await channel.stored(sessionId, withId(question!.id));
    const quoting = await receive('No', { context: { from: '15550783881', id: question!.id } });
    assert.equal(quoting.replyToMessageId, ours.id);
    const react = (emoji?: string) =>
      whatsapp.customerWrites(
        { type: 'reaction', reaction: { message_id: question!.id, ...(emoji && { emoji }) } },
        { from: question!.to },
      );
    const has = (one: Json) => one.id === ours.id && JSON.stringify(one.reactions ?? []).includes('👍');
    await react('👍');
    await channel.stored(sessionId, has);
    await react();
    await channel.stored(sessionId, (one) => one.id === ours.id && !has(one));
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages/reactions`;
    const body = { providerMsgId: first.providerMsgId, emoji: '❤️', action: 'add' };
    await channel.talks.expect(200, channel.service.call('POST', path, { body }));
    const reaction = { to: question!.to, message_id: first.providerMsgId, emoji: '❤️' };
    await eventually(() => whatsapp.reactions.length === 1);
    assert.deepEqual(whatsapp.reactions, [reaction]);
  });

  it('shows what is sent from the phone as an echo', async () => {
    const { from, sessionId } = await newCustomer();
    const echo = echoOf(from, 'From the phone');
    const value = { ...metadata(), message_echoes: [echo] };
    await whatsapp.deliver(deliveryOf(changeOf(value, 'smb_message_echoes')));
    const message = await channel.stored(sessionId, withId(String(echo.id)));
    assert.deepEqual([message.content, message.isEcho], ['From the phone', true]);
    assert.equal(whatsapp.sent(from).length, 0);
  });

  it('applies edits and deletions of the customer', async () => {
    const { from, sessionId, first } = await newCustomer();
    const original_message_id = first.providerMsgId;
    const message = { type: 'text', text: { body: 'Hello' } };
    await whatsapp.customerWrites({ type: 'edit', edit: { original_message_id, message } }, { from });
    const edited = await channel.stored(sessionId, ({ content }) => content === 'Hello');
    assert.ok(edited.editedAt);
    await whatsapp.customerWrites({ type: 'revoke', revoke: { original_message_id } }, { from });
    const deleted = await channel.stored(sessionId, ({ deletedAt }) => deletedAt !== null);
    assert.equal(deleted.content, 'Hello');
    assert.equal((await channel.talks.messages(sessionId)).length, 2);
  });

  it('does not repeat a message whose answer was lost: its status links it', async () => {
    const { from, sessionId, sent } = await newCustomer();
    whatsapp.failNext({ on: (name) => name.endsWith('/messages'), drop: 'after' });
    const id = await channel.operatorSays(sessionId, { content: 'Only once' });
    const [lost] = await sent(1);
    await channel.operatorSays(sessionId, { content: 'What follows does not wait' });
    await sent(2);
    await whatsapp.reportStatus(lost!, 'delivered');
    const message = await channel.stored(sessionId, hasStatus(id, 'delivered'));
    assert.equal(message.providerMsgId, lost!.id);
    assert.equal(whatsapp.sent(from).length, 2);
  });

  it('tries again when WhatsApp is busy, and fails with a reason when it never works', async () => {
    const { from, sessionId, sent } = await newCustomer();
    whatsapp.failNext({ on: (name) => name.endsWith('/messages'), status: 429, code: 130429 });
    whatsapp.failNext({ on: (name) => name.endsWith('/messages'), status: 500 });
    const busy = await channel.operatorSays(sessionId, { content: 'Later' });
    await channel.stored(sessionId, hasStatus(busy, 'sent'), 60_000);
    await sent(1);
    whatsapp.unknownNumbers.add(from);
    const id = await channel.operatorSays(sessionId, { content: 'Hello' });
    const failed = await channel.stored(sessionId, hasStatus(id, 'failed'));
    assert.match(failed.statusReason, /cannot be reached/);
    assert.equal((await channel.talks.session(sessionId)).needsAttention, true);
  });

  it('waits for a token that works, and then sends everything', async () => {
    const { sessionId, sent } = await newCustomer();
    const change = (accessToken: string) => channel.change({ connector: { credentials: { accessToken } } });
    await change('an old token');
    await channel.stateIs('error');
    const { lastError } = await channel.connector();
    assert.match(lastError, /access token/);
    assert.ok(!lastError.includes('an old token'));
    const contents = ['One', 'Two', 'Three'];
    for (const content of contents) await channel.operatorSays(sessionId, { content });
    await change(whatsapp.accessToken);
    await channel.stateIs('connected');
    assert.deepEqual(
      (await sent(3, 30_000)).map(({ text }) => text),
      contents,
    );
  });

  it('says that the app could not be subscribed', async () => {
    whatsapp.refusesSubscription = true;
    await channel.act('connect');
    await channel.stateIs('error');
    assert.match((await channel.connector()).lastError, /could not be subscribed/);
    whatsapp.refusesSubscription = false;
    await channel.act('connect');
    await channel.stateIs('connected');
  });

  it('knows a customer without a phone number, and goes on when the id changes', async () => {
    const before = `US.${1_000_000 + customers++}`;
    const sessionId = await channel.quietSession(kind, before);
    const writes = async (content: string, sender: Sender) =>
      channel.stored(sessionId, withId((await whatsapp.customerWrites(content, sender)).id));
    const reaches = async (to: string, isUserId: boolean) => {
      await channel.operatorSays(sessionId, { content: `To ${to}` });
      await eventually(() => whatsapp.sent(to).length > 0);
      assert.equal(whatsapp.sent(to)[0]!.isUserId, isUserId);
    };
    await writes('Hi', { from: null, userId: before });
    await reaches(before, true);
    await whatsapp.reportStatus(whatsapp.sent(before)[0]!, 'read');
    await channel.stored(sessionId, (one) => one.content === `To ${before}` && one.status === 'read');
    const phone = `5511${900_000_000 + customers++}`;
    await writes('My number', { from: phone, userId: before });
    await reaches(phone, false);
    const now = `US.${1_000_000 + customers++}`;
    const changed = changedIdentity({ user_id: now, previous_user_id: before });
    const next = messageOf('With the new id', { from_user_id: now });
    const value = { ...metadata(), messages: [changed, next] };
    assert.equal(await whatsapp.deliver(deliveryOf(changeOf(value))), 200);
    await channel.stored(sessionId, withId(String(next.id)));
    await channel.stored(sessionId, ({ role, content }) => role === 'system' && content === 'Sheena changed');
    // The number may belong to somebody else by now.
    await reaches(now, true);
    const { contactId } = await channel.talks.session(sessionId);
    const contact = await channel.talks.expect(200, channel.service.call('GET', `/contacts/${contactId}`));
    const values = contact.identifiers.map((one: Json) => `${one.kind} ${one.value}`).sort();
    assert.deepEqual(values, [`chatapp ${before}`, `chatapp ${now}`, `phone ${phone}`]);
    assert.deepEqual(whatsapp.deliveredToNobody, []);
  });

  it('lets a blocked contact through by none of its identifiers', async () => {
    const { from, sessionId } = await newCustomer();
    const path = `/blocked-contacts/${from}`;
    await channel.talks.expect(201, channel.service.call('POST', path, { body: {} }));
    const [userId, next] = [`US.${1_000_000 + customers++}`, `US.${1_000_000 + customers++}`];
    const dropped = (count: number) =>
      eventually(async () => {
        const { items } = (await channel.service.call('GET', '/blocked-contacts')).body;
        return items.find((one: Json) => one.identifierValue === from)?.droppedCount === count;
      });
    await whatsapp.customerWrites('By phone', { from, userId });
    const { contactId } = await channel.talks.session(sessionId);
    await eventually(async () => {
      const { identifiers } = (await channel.service.call('GET', `/contacts/${contactId}`)).body;
      return identifiers.some((one: Json) => one.value === userId);
    });
    await dropped(1);
    await whatsapp.customerWrites('By user id', { from: null, userId });
    await dropped(2);
    const changed = changedIdentity({ user_id: next, previous_user_id: userId });
    await whatsapp.deliver(deliveryOf(changeOf({ ...metadata(), messages: [changed] })));
    await whatsapp.customerWrites('By the next user id', { from: null, userId: next });
    await dropped(3);
    const roles = (await channel.talks.messages(sessionId)).map(({ role, content }) => [role, content]);
    assert.deepEqual(roles.slice(0, 2), [
      ['user', 'Welcome'],
      ['user', 'Hi'],
    ]);
    assert.ok(roles.slice(2).every(([role]) => role === 'system'));
  });
});
