import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { closeProviderLinks, providerLink } from '../../../../test/support/providers/provider-link.ts';
import { failureOf, testPart } from '../../../../test/support/providers/provider-tests.ts';
import { numberIds } from '../../../../test/support/providers/whatsapp-messages.ts';
import {
  startWhatsappServer,
  type WhatsappServer,
} from '../../../../test/support/providers/whatsapp-server.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import type { InboundMedia, Link, OutboundFile, OutboundPart } from '../connectors.provider.ts';
import { whatsappCloud } from './whatsapp.ts';

const phone = '16505551234';
const userId = 'US.13491208655302741918';
let server: WhatsappServer;
let link: Link;

before(async () => {
  server = await startWhatsappServer();
  link = providerLink({
    settings: { ...numberIds, graphVersion: server.graphVersion, apiBase: server.url },
    credentials: {
      accessToken: server.accessToken,
      appSecret: server.appSecret,
      verifyToken: server.verifyToken,
    },
  });
});
after(async () => {
  await server.close();
  await closeProviderLinks();
});

const send = (own: Partial<OutboundPart>, customer = phone) =>
  whatsappCloud.send(link, testPart(customer, own));
const last = () => server.sent().at(-1)!;
const fileOf = (kind: OutboundFile['kind'], mimeType: string, name: string): OutboundFile => ({
  kind,
  name,
  mimeType,
  bytes: sampleFiles[mimeType]!(),
  url: null,
});

describe('sending with WhatsApp', () => {
  it('sends text with our id and what it quotes', async () => {
    const sent = await send({ id: 'our-id.0', text: 'Hi', quoted: 'wamid.quoted' });
    assert.deepEqual(sent, { providerMsgId: last().id, status: 'sent' });
    assert.deepEqual(last().body, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: phone,
      type: 'text',
      text: { body: 'Hi', preview_url: true },
      context: { message_id: 'wamid.quoted' },
      biz_opaque_callback_data: 'our-id.0',
    });
  });

  it('sends to the phone number where it is known, otherwise to the user id', async () => {
    await send({ text: 'Hi' }, userId);
    assert.deepEqual([last().to, last().isUserId], [userId, true]);
    const chatapp = { kind: 'chatapp', value: userId } as const;
    const known = { kind: 'phone', value: phone } as const;
    await send({ text: 'Hi', to: { customerId: userId, identifiers: [chatapp, known] } });
    assert.deepEqual([last().to, last().isUserId], [phone, false]);
    await send({ text: 'Hi', to: { customerId: userId, identifiers: [known, chatapp] } });
    assert.deepEqual(
      [last().to, last().isUserId],
      [phone, false],
      'also where it was known before the user id',
    );
    await send({ text: 'Hi' }, `+${phone}`);
    assert.equal(last().to, phone);
    assert.deepEqual(server.deliveredToNobody, []);
  });

  it('uploads files and sends each as its kind', async () => {
    const cases: [OutboundFile, string, object][] = [
      [fileOf('image', 'image/png', 'a.png'), 'image', { caption: 'Look' }],
      [fileOf('image', 'image/webp', 'a.webp'), 'document', { caption: 'Look', filename: 'a.webp' }],
      [fileOf('video', 'video/mp4', 'a.mp4'), 'video', { caption: 'Look' }],
      [fileOf('video', 'video/webm', 'a.webm'), 'document', { caption: 'Look', filename: 'a.webm' }],
      [fileOf('audio', 'audio/mpeg', 'a.mp3'), 'audio', {}],
      [fileOf('voice', 'audio/ogg', 'a.ogg'), 'audio', { voice: true }],
      [fileOf('document', 'application/pdf', 'é.pdf'), 'document', { caption: 'Look', filename: 'é.pdf' }],
    ];
    for (const [file, type, content] of cases) {
      await send({ text: 'Look', file });
      const { id, ...rest } = last().body[type];
      assert.equal(typeof id, 'string');
      assert.deepEqual(rest, content, file.name);
      assert.deepEqual(last().upload?.bytes, file.bytes);
    }
  });

  it('uploads again when the answer to an upload is lost, and knows a lost send', async () => {
    const file = fileOf('image', 'image/png', 'a.png');
    server.failNext({ on: (name) => name.endsWith('/media'), drop: 'after' });
    assert.equal((await failureOf(send({ file }))).errorClass, 'retry');
    server.failNext({ on: (name) => name.endsWith('/messages'), drop: 'after' });
    assert.equal((await failureOf(send({ text: 'Hi' }))).errorClass, 'lost');
  });

  it('classifies errors', async () => {
    const cases = [
      [130429, 'retry', 1_000],
      [131056, 'retry', 6_000],
      [131016, 'retry', null],
      [131047, 'final', null],
      [131026, 'final', null],
      [131051, 'final', null],
      [131049, 'final', null],
      [131062, 'final', null],
      [132000, 'final', null],
      [132001, 'final', null],
      [190, 'credentials', null],
      [10, 'credentials', null],
    ] as const;
    for (const [code, errorClass, waitMs] of cases) {
      server.failNext({ status: 400, code });
      const failed = await failureOf(send({ text: 'Hi' }));
      assert.deepEqual([failed.errorClass, failed.waitMs], [errorClass, waitMs], String(code));
    }
    server.failNext({ status: 429, code: 130429, retryAfter: 7 });
    assert.equal((await failureOf(send({ text: 'Hi' }))).waitMs, 7_000);
    server.failNext({ status: 503 });
    assert.equal((await failureOf(send({ text: 'Hi' }))).errorClass, 'retry');
  });

  it('sends reactions, read marks and typing', async () => {
    const to = { customerId: phone, identifiers: [] };
    await whatsappCloud.react!(link, to, 'wamid.A', false, '👍');
    await whatsappCloud.react!(link, to, 'wamid.A', false, null);
    assert.deepEqual(server.reactions, [
      { to: phone, message_id: 'wamid.A', emoji: '👍' },
      { to: phone, message_id: 'wamid.A', emoji: '' },
    ]);
    await whatsappCloud.markRead!(link, to, 'wamid.A');
    await whatsappCloud.typing!(link, to, 'wamid.B');
    await whatsappCloud.typing!(link, to, null);
    assert.deepEqual([server.read, server.typing], [['wamid.A', 'wamid.B'], ['wamid.B']]);
  });
});

describe('files of WhatsApp', () => {
  const media = (ref: string): InboundMedia => ({
    ref,
    kind: 'image',
    mimeType: 'image/jpeg',
    fileName: null,
    bytes: null,
  });

  it('are fetched by their id, with the token', async () => {
    const bytes = sampleFiles['image/png']!();
    const id = server.addMedia(bytes, 'image/png');
    const fetched = await whatsappCloud.fetchMedia(link, media(id), 1_000_000);
    assert.deepEqual(fetched, { bytes, mimeType: 'image/png', fileName: null });
    const large = await failureOf(whatsappCloud.fetchMedia(link, media(id), 10));
    assert.equal(large.errorClass, 'final');
  });

  it('are gone where the id or the address has expired', async () => {
    const id = server.addMedia(Buffer.from('x'), 'image/png');
    server.failNext({ on: (name) => name.includes('/bytes/'), status: 404 });
    assert.equal((await failureOf(whatsappCloud.fetchMedia(link, media(id), 10_000))).errorClass, 'gone');
    server.failNext({ on: (name) => name.includes('/bytes/'), status: 401, code: 190 });
    const refused = await failureOf(whatsappCloud.fetchMedia(link, media(id), 10_000));
    assert.equal(refused.errorClass, 'retry', 'the host of a file says nothing about the token');
    server.expireMedia();
    assert.equal((await failureOf(whatsappCloud.fetchMedia(link, media(id), 10_000))).errorClass, 'gone');
  });
});

describe('connecting with WhatsApp', () => {
  const withSettings = (own: object): Link => ({ ...link, settings: { ...link.settings, ...own } });

  it('says which number the token works for', async () => {
    const { detail } = await whatsappCloud.check(link);
    assert.equal(detail, 'The access token works for +1 555-078-3881 (Shop).');
    const account = withSettings({ phoneNumberId: numberIds.businessAccountId });
    const wrong = await failureOf(whatsappCloud.check(account));
    assert.match(wrong.message, /is not the ID of a phone number/);
    const unknown = await failureOf(whatsappCloud.check(withSettings({ phoneNumberId: '404' })));
    assert.equal(unknown.errorClass, 'credentials');
    const rejected = await failureOf(
      whatsappCloud.check({ ...link, credentials: { accessToken: 'an old token' } }),
    );
    assert.equal(rejected.errorClass, 'credentials');
    assert.ok(!rejected.message.includes('an old token'));
  });

  it('subscribes the app; connectors of earlier versions may not have the business account', async () => {
    const { businessAccountId: _, ...alone } = link.settings;
    await whatsappCloud.connect({ ...link, settings: alone });
    assert.equal(server.subscriptions, 0);
    assert.deepEqual(await whatsappCloud.connect(link), { state: 'connected' });
    assert.equal(server.subscriptions, 1);
    server.refusesSubscription = true;
    const failed = await failureOf(whatsappCloud.connect(link));
    server.refusesSubscription = false;
    assert.equal(failed.errorClass, 'credentials');
    assert.match(failed.message, /could not be subscribed to the business account 102290129340398/);
    server.failNext({ on: (name) => name.endsWith('/subscribed_apps'), drop: 'after' });
    assert.equal((await failureOf(whatsappCloud.connect(link))).errorClass, 'retry');
  });
});
