import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  codePicture,
  type EvolutionServer,
  startEvolutionServer,
} from '../../../../test/support/providers/evolution-server.ts';
import { closeProviderLinks, providerLink } from '../../../../test/support/providers/provider-link.ts';
import { type Link, type OutboundFile, type OutboundPart, ProviderError } from '../connectors.provider.ts';
import { secretHeader } from './evolution.connect.ts';
import { evolution } from './evolution.ts';

let gateway: EvolutionServer;
let link: Link;
before(async () => {
  gateway = await startEvolutionServer();
});
after(async () => {
  await closeProviderLinks();
  await gateway.close();
});
beforeEach(() => {
  gateway.instances.clear();
  gateway.requests.length = 0;
  gateway.sent.length = 0;
  link = providerLink({
    settings: { apiBase: gateway.url, instanceName: 'my shop/1', groups: false },
    credentials: { apiKey: gateway.apiKey },
  });
});

const wrongKey = () => providerLink({ ...link, credentials: { apiKey: 'wrong-key' } });
const paths = () => gateway.requests.map(({ method, path }) => `${method} ${path}`);

async function failure(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ProviderError, `no ProviderError: ${error}`);
  assert.ok(!error.message.includes(gateway.apiKey) && !error.message.includes('wrong-key'));
  return error;
}

describe('connecting a linked phone', () => {
  it('creates the instance and shows its code', async () => {
    const connected = await evolution.connect(link);
    assert.deepEqual(connected, {
      state: 'waiting_for_scan',
      scan: { qr: codePicture(1), pairingCode: null },
    });
    assert.deepEqual(gateway.requests[0]?.body, {
      instanceName: 'my shop/1',
      integration: 'WHATSAPP-BAILEYS',
      qrcode: true,
      webhook: {
        enabled: true,
        url: link.inboundUrl,
        base64: true,
        headers: { [secretHeader]: link.secret },
        events: [
          'MESSAGES_UPSERT',
          'MESSAGES_UPDATE',
          'MESSAGES_EDITED',
          'MESSAGES_DELETE',
          'CONNECTION_UPDATE',
          'QRCODE_UPDATED',
        ],
      },
    });
    gateway.instances.get('my shop/1')!.codes = 2;
    assert.deepEqual(await evolution.scan!(link), { qr: codePicture(2), pairingCode: null });
  });

  it('takes over an instance that exists, with or without a phone', async () => {
    const instance = gateway.addInstance('my shop/1', 'open');
    assert.deepEqual(await evolution.connect(link), { state: 'connected' });
    assert.equal(instance.webhook?.url, link.inboundUrl);
    assert.equal(instance.webhook?.headers[secretHeader], link.secret);
    assert.deepEqual(paths(), [
      'POST /instance/create',
      'POST /webhook/set/my%20shop%2F1',
      'GET /instance/connectionState/my%20shop%2F1',
    ]);
    instance.state = 'close';
    const connected = await evolution.connect(link);
    assert.deepEqual(connected, {
      state: 'waiting_for_scan',
      scan: { qr: codePicture(1), pairingCode: null },
    });
    assert.deepEqual(await evolution.scan!(link), { qr: codePicture(1), pairingCode: null });
    instance.state = 'open';
    assert.deepEqual(await evolution.scan!(link), { qr: null, pairingCode: null, isLinked: true });
  });

  it('asks for the code where the new instance has none yet', async () => {
    const answer = { status: 201, body: { hash: 'x', qrcode: { count: 0 } } };
    gateway.misbehaviours.push({ on: '/instance/create', answer });
    gateway.addInstance('my shop/1', 'connecting');
    assert.equal((await evolution.connect(link)).scan?.qr, codePicture(1));
  });

  it('says what the gateway knows', async () => {
    const instance = gateway.addInstance('my shop/1', 'open');
    assert.match((await evolution.check(link)).detail, /linked/);
    instance.state = 'close';
    assert.match((await evolution.check(link)).detail, /QR code/);
    assert.equal((await failure(evolution.check(wrongKey()))).errorClass, 'credentials');
    assert.equal((await failure(evolution.connect(wrongKey()))).errorClass, 'credentials');
    gateway.instances.clear();
    assert.match((await failure(evolution.check(link))).message, /no instance named "my shop\/1"/);
  });
});

describe('sending by a linked phone', () => {
  const to = { customerId: '5511988887777', identifiers: [] };
  const part = (over: Partial<OutboundPart> = {}): OutboundPart => ({
    id: 'ours',
    to,
    text: 'Hello',
    file: null,
    quoted: null,
    ...over,
  });
  const file = (over: Partial<OutboundFile>): OutboundFile => ({
    kind: 'image',
    name: 'a.jpg',
    mimeType: 'image/jpeg',
    bytes: Buffer.from('bytes'),
    url: null,
    ...over,
  });
  beforeEach(() => void gateway.addInstance('my shop/1', 'open'));

  it('sends text, also as an answer and to a LID', async () => {
    const sent = await evolution.send(link, part());
    assert.deepEqual(sent, { providerMsgId: gateway.sent[0]!.id, status: 'sent' });
    await evolution.send(link, part({ quoted: 'M0', to: { customerId: '98765@lid', identifiers: [] } }));
    assert.deepEqual(
      gateway.sent.map(({ body }) => body),
      [
        { number: '5511988887777', text: 'Hello' },
        { number: '98765@lid', text: 'Hello', quoted: { key: { id: 'M0' } } },
      ],
    );
  });

  it('sends every kind of file', async () => {
    for (const kind of ['image', 'video', 'audio', 'document'] as const) {
      await evolution.send(link, part({ text: 'Look', file: file({ kind }) }));
    }
    const expected = { number: to.customerId, mimetype: 'image/jpeg', media: 'Ynl0ZXM=', fileName: 'a.jpg' };
    assert.deepEqual(
      gateway.sent.map(({ call, body }) => [call, body]),
      ['image', 'video', 'audio', 'document'].map((mediatype) => [
        'sendMedia',
        { ...expected, mediatype, caption: 'Look' },
      ]),
    );
    await evolution.send(link, part({ text: '', file: file({ kind: 'voice' }), quoted: 'M0' }));
    const voice = gateway.sent.at(-1)!;
    assert.equal(voice.call, 'sendWhatsAppAudio');
    assert.deepEqual(voice.body, {
      number: to.customerId,
      audio: 'Ynl0ZXM=',
      quoted: { key: { id: 'M0' } },
    });
  });

  it('sends reactions and removes them', async () => {
    await evolution.react!(link, to, 'M0', false, '👍');
    await evolution.react!(link, { customerId: '98765@lid', identifiers: [] }, 'M1', true, null);
    assert.deepEqual(gateway.reactions, [
      { key: { id: 'M0', remoteJid: '5511988887777@s.whatsapp.net', fromMe: false }, reaction: '👍' },
      { key: { id: 'M1', remoteJid: '98765@lid', fromMe: true }, reaction: '' },
    ]);
  });

  it('shows typing and marks messages as read', async () => {
    await evolution.typing!(link, to);
    await evolution.markRead!(link, to, 'M0');
    assert.deepEqual(gateway.typing, [to.customerId]);
    assert.deepEqual(gateway.read, [{ id: 'M0', remoteJid: '5511988887777@s.whatsapp.net', fromMe: false }]);
  });

  it('classifies errors', async () => {
    const classOf = async (answer: { status: number; body?: unknown; headers?: Record<string, string> }) => {
      gateway.misbehaviours.push({ answer });
      const { errorClass, waitMs } = await failure(evolution.send(link, part()));
      return waitMs === null ? errorClass : `${errorClass} ${waitMs}`;
    };
    const said = (message: unknown) => ({ response: { message } });
    assert.equal(await classOf({ status: 429, headers: { 'retry-after': '7' } }), 'retry 7000');
    assert.equal(await classOf({ status: 503, body: 'busy' }), 'retry');
    assert.equal(await classOf({ status: 500, body: said(['Error: Connection Closed']) }), 'unlinked');
    assert.equal(await classOf({ status: 404 }), 'unlinked');
    assert.equal(await classOf({ status: 401 }), 'credentials');
    assert.equal(await classOf({ status: 400, body: said([[{ exists: false }]]) }), 'final');
    assert.equal(await classOf({ status: 400, body: said([`bad ${gateway.apiKey}`]) }), 'final');
    assert.equal(await classOf({ status: 201, body: {} }), 'lost');
    gateway.unknownNumbers.add(to.customerId);
    assert.match((await failure(evolution.send(link, part()))).message, /no account/);
    gateway.unknownNumbers.clear();
    gateway.misbehaviours.push({ answer: 'lose' });
    assert.equal((await failure(evolution.send(link, part()))).errorClass, 'lost');
    assert.equal(gateway.sent.length, 1);
  });

  it('fetches files that were not in the webhook', async () => {
    const media = { kind: 'image', mimeType: 'image/jpeg', fileName: null, bytes: 3 } as const;
    const bytes = Buffer.from('abc');
    gateway.files.set('M0', { bytes, mimetype: 'image/png; x=y', fileName: 'b.png' });
    const asked = await evolution.fetchMedia(link, { ...media, ref: 'M0' }, 100);
    assert.deepEqual(asked, { bytes, mimeType: 'image/png', fileName: 'b.png' });
    const inline = await evolution.fetchMedia(link, { ...media, ref: null, base64: 'YWJj' }, 100);
    assert.deepEqual(inline, { bytes, mimeType: 'image/jpeg', fileName: null });
    const classOf = async (work: Promise<unknown>) => (await failure(work)).errorClass;
    assert.equal(await classOf(evolution.fetchMedia(link, { ...media, ref: 'M9' }, 100)), 'gone');
    assert.equal(await classOf(evolution.fetchMedia(link, { ...media, ref: 'M0' }, 2)), 'final');
    gateway.misbehaviours.push({ answer: { status: 502 } });
    assert.equal(await classOf(evolution.fetchMedia(link, { ...media, ref: 'M0' }, 100)), 'retry');
  });
});
