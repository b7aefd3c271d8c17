/** A linked phone from the QR code to the last receipt: a whole service and a gateway. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clip } from '../../../../test/support/audio.ts';
import { conversationsOf } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import {
  fileContent,
  reactionContent,
  upsert,
} from '../../../../test/support/providers/evolution-messages.ts';
import {
  codePicture,
  type EvolutionServer,
  startEvolutionServer,
} from '../../../../test/support/providers/evolution-server.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';
import { startTranscriptionServer } from '../../../../test/support/transcription-server.ts';

const name = 'shop';
let service: TestService;
let gateway: EvolutionServer;
let talks: ReturnType<typeof conversationsOf>;
let files: Awaited<ReturnType<typeof filesOf>>;
let channel: Json;
let ears: Awaited<ReturnType<typeof startTranscriptionServer>>;
let customers = 0;

before(async () => {
  ears = await startTranscriptionServer();
  const env = { OUTBOUND_ALLOW: '127.0.0.0/8', TRANSCRIBE_URL: ears.url };
  service = await startTestService({ worker: true, env });
  gateway = await startEvolutionServer();
  talks = conversationsOf(service);
  files = await filesOf(service);
  gateway.serviceUrl = files.base;
  // It answers after a minute of silence: these tests end before.
  const quiet = await talks.agent({ batchWindowMs: 60_000 });
  channel = await createChannel({ instanceName: name, defaultAgentId: quiet.id });
});
after(async () => {
  await gateway?.close();
  await service?.close();
  await ears?.close();
});

const createChannel = ({ instanceName, ...rest }: { instanceName: string; defaultAgentId?: string }) =>
  talks.channel({
    type: 'chatapp_no',
    ...rest,
    connector: {
      kind: 'evolution',
      apiBase: gateway.url,
      instanceName,
      credentials: { apiKey: gateway.apiKey },
    },
  });
const connector = async (id = channel.id): Promise<Json> =>
  (await talks.expect(200, service.call('GET', `/channels/${id}`))).connector;
const stateIs = (state: string) => eventually(async () => (await connector()).state === state);
const scan = (): Promise<Json> =>
  talks.expect(200, service.call('GET', `/channels/${channel.id}/connector/qr`));

/** A customer of their own for each test: the pace holds for each customer. */
function newCustomer() {
  const number = `5511${900_000_000 + customers++}`;
  return { number, from: `${number}@s.whatsapp.net`, sessionId: `evolution:${number}` };
}

async function stored(
  sessionId: string,
  holds: (message: Json) => boolean,
  withinMs?: number,
): Promise<Json> {
  let found: Json;
  await eventually(async () => {
    const { status } = await service.call('GET', `/sessions/${encodeURIComponent(sessionId)}`);
    if (status !== 200) return false;
    found = (await talks.messages(sessionId)).find(holds);
    return found !== undefined;
  }, withinMs);
  return found;
}

const withId = (id: string) => (message: Json) => message.providerMsgId === id;
const sentTo = (number: string) => gateway.sent.filter((one) => one.number === number);

async function operatorSays(sessionId: string, body: object): Promise<string> {
  const answer = await talks.operatorSays(channel.id, encodeURIComponent(sessionId), body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.message.id;
}

async function openSession() {
  const customer = newCustomer();
  const id = await gateway.say(name, 'Hi', { from: customer.from });
  const message = await stored(customer.sessionId, withId(id));
  return { ...customer, id, message };
}

describe('a linked phone', () => {
  it('is linked by a QR code that changes', async () => {
    await stateIs('waiting_for_scan');
    assert.deepEqual(await scan(), { state: 'waiting_for_scan', qr: codePicture(1), pairingCode: null });
    const next = await gateway.changeCode(name);
    await eventually(async () => (await scan()).qr === next);
    await gateway.link(name);
    await stateIs('connected');
    const shown = await connector();
    assert.equal(shown.lastError, null);
    assert.ok(!JSON.stringify(shown).includes(gateway.apiKey));
    assert.deepEqual(await scan(), { state: 'connected', qr: null, pairingCode: null });
  });

  it('receives text once, and its secret is checked', async () => {
    const { from, sessionId, number } = newCustomer();
    const data = upsert({ conversation: 'Hello' }, { from });
    for (let times = 0; times < 3; times++) await gateway.deliver(name, 'messages.upsert', data);
    const message = await stored(sessionId, withId(data.key.id));
    assert.equal(message.content, 'Hello');
    assert.equal(message.role, 'user');
    assert.equal((await talks.messages(sessionId)).length, 1);
    const session = await talks.session(sessionId);
    assert.equal(session.externalUserId, number);
    assert.equal(session.sessionName, 'Ada');
    const wrong = { 'x-connector-secret': 'wrong' };
    assert.equal(await gateway.deliver(name, 'messages.upsert', upsert({}), wrong), 401);
  });

  it('of another program is taken over, and its customers get replies', async () => {
    gateway.addInstance('linked before', 'open');
    const { id } = await createChannel({ instanceName: 'linked before' });
    await eventually(async () => (await connector(id)).state === 'connected');
    const { from, sessionId, number } = newCustomer();
    await gateway.say('linked before', 'What is Talkboard?', { from });
    await eventually(() => sentTo(number).length === 1, 20_000);
    const [reply] = await talks.replied(sessionId);
    assert.equal(sentTo(number)[0]!.text.length > 0, true);
    await stored(sessionId, (one) => one.id === reply.id && one.providerMsgId === sentTo(number)[0]!.id);
  });

  it('sends text, split where it is long, and applies receipts', async () => {
    const { sessionId, number } = await openSession();
    const sentence = 'This sentence is one of many. ';
    gateway.receipts = ['SERVER_ACK', 'DELIVERY_ACK', 'READ'];
    const long = await operatorSays(sessionId, { content: sentence.repeat(200).trim() });
    await eventually(async () => sentTo(number).length === 2);
    assert.deepEqual(
      sentTo(number).map(({ text }) => text.slice(0, 6)),
      ['(1/2) ', '(2/2) '],
    );
    const message = await stored(sessionId, (one) => one.id === long && one.status === 'read');
    assert.equal(message.providerMsgId, sentTo(number)[0]!.id);
    gateway.receipts = ['ERROR'];
    const failing = await operatorSays(sessionId, { content: '**Bold**' });
    const failed = await stored(sessionId, (one) => one.id === failing && one.status === 'failed');
    assert.ok(failed.statusReason);
    assert.equal(sentTo(number).at(-1)!.text, '*Bold*');
    gateway.receipts = [];
  });

  it('receives every kind of file, with and without its bytes, and names those that are gone', async () => {
    const { from, sessionId } = newCustomer();
    const kinds = [
      ['imageMessage', 'image/png'],
      ['videoMessage', 'video/mp4'],
      ['audioMessage', 'audio/mpeg'],
      ['documentMessage', 'text/csv'],
    ] as const;
    for (const [kind, mimetype] of kinds) {
      const bytes = sampleFiles[mimetype]!();
      const content = fileContent(kind, bytes, { mimetype, caption: 'Look', fileName: `my ${kind}` });
      const message = await stored(sessionId, withId(await gateway.say(name, content, { from })));
      const [{ contentType, size, fileName }] = message.attachments;
      assert.equal(message.content, 'Look');
      assert.deepEqual([contentType, size, fileName], [mimetype, bytes.length, `my ${kind}`]);
    }
    const pdf = sampleFiles['application/pdf']!();
    const options = { mimetype: 'application/pdf', fileName: 'bill.pdf', isInline: false };
    gateway.files.set('FILE1', { bytes: pdf, mimetype: 'application/pdf', fileName: 'bill.pdf' });
    const asked = fileContent('documentMessage', pdf, options);
    const document = await stored(sessionId, withId(await gateway.say(name, asked, { from, id: 'FILE1' })));
    assert.equal(document.attachments[0].fileName, 'bill.pdf');
    const gone = await stored(sessionId, withId(await gateway.say(name, asked, { from, id: 'FILE2' })));
    assert.match(gone.content, /bill\.pdf/);
    assert.deepEqual(gone.attachments, []);
  });

  it('shows other kinds as a line with their data', async () => {
    const { from, sessionId } = newCustomer();
    const kinds: [Json, string][] = [
      [
        { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: 'Office' } },
        'Location: Office (1, 2)',
      ],
      [{ stickerMessage: { mimetype: 'image/webp' } }, 'Sticker'],
      [{ pollCreationMessage: { name: 'When?', options: [{ optionName: 'Mon' }] } }, 'Poll: When? – Mon'],
      [{ holographMessage: { depth: 3 } }, 'Unsupported message (holograph)'],
    ];
    for (const [content, line] of kinds) {
      const message = await stored(sessionId, withId(await gateway.say(name, content, { from })));
      assert.equal(message.content, line);
      assert.deepEqual(message.data.providerPayload, content);
    }
  });

  it('sends every kind of file, with the text as the caption of the first', async () => {
    const { sessionId, number } = await openSession();
    const kinds = [
      ['image', 'image/png'],
      ['video', 'video/mp4'],
      ['document', 'application/pdf'],
    ] as const;
    const uploads = kinds.map(([kind, type]) => files.upload(type, sampleFiles[type]!(), `my ${kind}`));
    await operatorSays(sessionId, { content: 'Look', attachments: await Promise.all(uploads) });
    await eventually(() => sentTo(number).length === kinds.length, 30_000);
    assert.deepEqual(
      sentTo(number).map(({ body, text, bytes }) => [body.mediatype, body.fileName, text, bytes]),
      kinds.map(([kind, type], index) => [
        kind,
        `my ${kind}`,
        index === 0 ? 'Look' : '',
        sampleFiles[type]!(),
      ]),
    );
  });

  it('carries voice messages both ways', async () => {
    const { from, sessionId, number } = newCustomer();
    const voice = fileContent('voice', clip('order.ogg'), { mimetype: 'audio/ogg; codecs=opus' });
    const message = await stored(sessionId, withId(await gateway.say(name, voice, { from })));
    assert.match(message.attachments[0].contentType, /^audio\/ogg/);
    const heard = await stored(sessionId, (one) => one.attachments[0]?.transcript !== undefined, 60_000);
    assert.equal(heard.attachments[0].transcript.text, 'Where is my order?');
    const file = await files.upload('audio/mpeg', clip('order.mp3'), 'order.mp3');
    await operatorSays(sessionId, { content: '', attachments: [file] });
    await eventually(() => sentTo(number).length === 1, 60_000);
    const [sent] = sentTo(number);
    assert.equal(sent?.call, 'sendWhatsAppAudio');
    assert.equal(sent?.bytes?.subarray(0, 4).toString(), 'OggS');
  });

  it('carries quotes and reactions both ways', async () => {
    const { from, sessionId, number, id, message } = await openSession();
    await operatorSays(sessionId, { content: 'Yes?', replyToMessageId: message.id });
    await eventually(() => sentTo(number).length === 1);
    const [sent] = sentTo(number);
    assert.deepEqual(sent?.body.quoted, { key: { id } });
    const ours = await stored(sessionId, withId(sent!.id));
    const quoting = await gateway.say(name, 'No', { from, quotes: sent!.id });
    assert.equal((await stored(sessionId, withId(quoting))).replyToMessageId, ours.id);

    const hasReaction = (emoji: string) => (one: Json) =>
      one.id === ours.id && JSON.stringify(one.reactions ?? []).includes(emoji);
    await gateway.say(name, reactionContent(sent!.id, '👍', from), { from });
    await stored(sessionId, hasReaction('👍'));
    await gateway.say(name, reactionContent(sent!.id, '', from), { from });
    await stored(sessionId, (one) => one.id === ours.id && !hasReaction('👍')(one));
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages/reactions`;
    const body = { providerMsgId: id, emoji: '❤️', action: 'add' };
    await talks.expect(200, service.call('POST', path, { body }));
    await eventually(() => gateway.reactions.length === 1);
    assert.deepEqual(gateway.reactions, [{ key: { id, remoteJid: from, fromMe: false }, reaction: '❤️' }]);
  });

  it('recognises echoes of the phone, and its own messages', async () => {
    const { from, sessionId, number } = await openSession();
    gateway.copies = 'before the answer';
    gateway.receipts = ['READ'];
    gateway.receiptsFirst = true;
    const own = await operatorSays(sessionId, { content: 'From the dashboard' });
    await stored(sessionId, (one) => one.id === own && one.status === 'read');
    gateway.copies = 'none';
    gateway.receipts = [];
    gateway.receiptsFirst = false;
    const echo = await gateway.say(name, 'From the phone', { from, fromMe: true });
    const message = await stored(sessionId, withId(echo));
    assert.equal(message.isEcho, true);
    const contents = (await talks.messages(sessionId)).map((one) => one.content);
    assert.deepEqual(contents, ['Hi', 'From the dashboard', 'From the phone']);
    assert.equal(sentTo(number).length, 1);
  });

  it('does not repeat a message whose answer was lost', async () => {
    const { sessionId, number } = await openSession();
    gateway.copies = 'after the answer';
    gateway.misbehaviours.push({ on: '/message/sendText', answer: 'lose' });
    const id = await operatorSays(sessionId, { content: 'Only once' });
    const message = await stored(sessionId, (one) => one.id === id && one.providerMsgId !== null);
    gateway.copies = 'none';
    assert.equal(message.providerMsgId, sentTo(number)[0]!.id);
    assert.equal(sentTo(number).length, 1);
    assert.equal((await talks.messages(sessionId)).length, 2);
  });

  it('applies edits and deletions of the customer', async () => {
    const { from, sessionId, id } = await openSession();
    const key = { id, remoteJid: from, fromMe: false };
    const edit = { key, type: 'MESSAGE_EDIT', editedMessage: { conversation: 'Hello' } };
    await gateway.deliver(name, 'messages.edited', edit);
    const edited = await stored(sessionId, (one) => one.content === 'Hello');
    assert.ok(edited.editedAt);
    await gateway.deliver(name, 'messages.delete', { ...key, status: 'DELETED' });
    const deleted = await stored(sessionId, (one) => one.deletedAt !== null);
    assert.equal(deleted.content, 'Hello');
    assert.equal((await talks.messages(sessionId)).length, 1);
  });

  it('knows a customer by a LID and by a phone number as one person', async () => {
    const { from, number } = newCustomer();
    const lid = '77001122@lid';
    const first = await gateway.say(name, 'Hi', { from: lid });
    await stored(`evolution:${lid}`, withId(first));
    await operatorSays(`evolution:${lid}`, { content: 'Hello' });
    await eventually(() => sentTo(lid).length === 1);
    const second = await gateway.say(name, 'It is me', { from: lid, alt: from });
    await stored(`evolution:${lid}`, withId(second));
    const third = await gateway.say(name, 'Again', { from });
    await stored(`evolution:${lid}`, withId(third));
    const { contactId } = await talks.session(`evolution:${lid}`);
    const contact = await talks.expect(200, service.call('GET', `/contacts/${contactId}`));
    const values = contact.identifiers.map((one: Json) => `${one.kind} ${one.value}`).sort();
    assert.deepEqual(values, [`chatapp ${lid}`, `phone ${number}`]);
  });

  it('fails for a number without an account, with a reason', async () => {
    const { sessionId, number } = await openSession();
    gateway.unknownNumbers.add(number);
    const id = await operatorSays(sessionId, { content: 'Hello' });
    const failed = await stored(sessionId, (one) => one.id === id && one.status === 'failed');
    assert.match(failed.statusReason, /no account/);
    assert.equal((await talks.session(sessionId)).needsAttention, true);
  });

  it('waits while the phone is not linked, and sends afterwards', async () => {
    const { sessionId, number } = await openSession();
    gateway.instances.get(name)!.state = 'close';
    const id = await operatorSays(sessionId, { content: 'Later' });
    await stateIs('waiting_for_scan');
    assert.ok((await connector()).lastError);
    assert.equal(sentTo(number).length, 0);
    await gateway.link(name);
    await stateIs('connected');
    await stored(sessionId, (one) => one.id === id && one.status === 'sent');
    assert.equal(sentTo(number).length, 1);
  });

  it('is disconnected and connected again', async () => {
    const { from, sessionId } = await openSession();
    const act = (action: string) =>
      talks.expect(200, service.call('POST', `/channels/${channel.id}/connector/${action}`));
    assert.equal((await act('disconnect')).state, 'disconnected');
    const data = upsert({ conversation: 'Meanwhile' }, { from });
    assert.equal(await gateway.deliver(name, 'messages.upsert', data), 503);
    await act('connect');
    await stateIs('connected');
    assert.equal(await gateway.deliver(name, 'messages.upsert', data), 200);
    await stored(sessionId, withId(data.key.id));
    assert.equal((await act('check')).ok, true);
  });

  it('waits for a key that works, and says so', async () => {
    const { sessionId, number } = await openSession();
    const change = (apiKey: string) =>
      talks.expect(
        200,
        service.call('PATCH', `/channels/${channel.id}`, {
          body: { connector: { credentials: { apiKey } } },
        }),
      );
    await change('an old key');
    await stateIs('error');
    const { lastError } = await connector();
    assert.ok(lastError && !lastError.includes('an old key'));
    const id = await operatorSays(sessionId, { content: 'With the new key' });
    await change(gateway.apiKey);
    await stateIs('connected');
    await stored(sessionId, (one) => one.id === id && one.status === 'sent');
    assert.equal(sentTo(number).length, 1);
  });
});
