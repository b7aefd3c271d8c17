import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  customerAddress,
  fileContent,
  type MessageOptions,
  reactionContent,
  upsert,
} from '../../../../test/support/providers/evolution-messages.ts';
import { providerLink } from '../../../../test/support/providers/provider-link.ts';
import { runsOf, seed } from '../../../../test/support/sample.ts';
import type { Inbound, InboundMessage } from '../connectors.provider.ts';
import { secretHeader } from './evolution.connect.ts';
import { evolution } from './evolution.ts';

const link = providerLink({ settings: { instanceName: 'i', groups: false } });
const receivedAt = 1_800_000_000_000;

function translate(event: string, data: unknown, over = link): Inbound[] {
  const text = JSON.stringify({ event, instance: 'i', data });
  return evolution.translate(over, { text, receivedAt });
}

function message(content: Record<string, unknown>, options: MessageOptions = {}, over = link) {
  const [one] = translate(
    'messages.upsert',
    upsert(content, { id: 'M1', at: 1_773_027_345, ...options }),
    over,
  );
  assert.equal(one?.type, 'message');
  return one as InboundMessage;
}

const ada = { kind: 'phone', value: '5511988887777' } as const;
const lid = { kind: 'chatapp', value: '98765@lid' } as const;

describe('a message of a linked phone', () => {
  it('has its customer, its time and its text', () => {
    assert.deepEqual(message({ conversation: 'Hi' }), {
      type: 'message',
      key: 'M1',
      customer: { id: ada.value, identifiers: [ada], name: 'Ada' },
      providerMsgId: 'M1',
      at: 1_773_027_345_000,
      order: null,
      text: 'Hi',
      media: [],
      quoted: null,
      isEcho: false,
    });
  });

  it('has both identifiers of one customer, the phone number first', () => {
    const fromLid = message({ conversation: 'Hi' }, { from: '98765@lid', alt: customerAddress });
    const fromPhone = message({ conversation: 'Hi' }, { alt: '98765:3@lid' });
    for (const { customer } of [fromLid, fromPhone]) {
      assert.deepEqual(customer, { id: ada.value, identifiers: [ada, lid], name: 'Ada' });
    }
    const lone = message({ conversation: 'Hi' }, { from: '98765@lid' });
    assert.deepEqual(lone.customer, { id: lid.value, identifiers: [lid], name: 'Ada' });
  });

  it('is an echo if the phone sent it, without the name of the business', () => {
    const echo = message({ conversation: 'Hi' }, { fromMe: true });
    assert.equal(echo.isEcho, true);
    assert.equal(echo.customer.name, null);
  });

  it('quotes another one, wherever the body says so', () => {
    assert.equal(message({ conversation: 'Yes' }, { quotes: 'M0' }).quoted, 'M0');
    const content = { extendedTextMessage: { text: 'Yes', contextInfo: { stanzaId: 'M0' } } };
    const { quoted, text } = message({ ephemeralMessage: { message: content } });
    assert.deepEqual([quoted, text], ['M0', 'Yes']);
  });

  it('has the time in every form, and that of its arrival without one', () => {
    const at = (value: unknown) => {
      const data = { ...upsert({ conversation: 'Hi' }), messageTimestamp: value };
      return (translate('messages.upsert', data)[0] as InboundMessage).at;
    };
    const forms = [1_773_027_345, '1773027345', { low: 1_773_027_345, high: 0 }, 1_773_027_345_000];
    for (const form of forms) assert.equal(at(form), 1_773_027_345_000);
    for (const form of [undefined, null, 'soon', -1]) assert.equal(at(form), receivedAt);
  });

  it('is none from groups, status updates, newsletters and protocol messages', () => {
    for (const from of ['120363-1@g.us', 'status@broadcast', '1@newsletter', '1@broadcast', '@lid', 'x']) {
      assert.deepEqual(translate('messages.upsert', upsert({ conversation: 'Hi' }, { from })), [], from);
    }
    const silent = { senderKeyDistributionMessage: { groupId: 'x' }, messageContextInfo: {} };
    assert.deepEqual(translate('messages.upsert', upsert(silent)), []);
    assert.deepEqual(translate('messages.upsert', upsert({ protocolMessage: { type: 5 } })), []);
  });

  it('of a group has its sender, where groups are wanted', () => {
    const inGroups = providerLink({ settings: { instanceName: 'i', groups: true } });
    const options = { from: '120363@g.us', participant: customerAddress };
    const { customer, text } = message({ conversation: 'Hi' }, options, inGroups);
    assert.deepEqual(customer, {
      id: '120363@g.us',
      identifiers: [{ kind: 'chatapp', value: '120363@g.us' }],
      name: null,
    });
    assert.equal(text, 'Ada: Hi');
  });
});

describe('a file of a linked phone', () => {
  const bytes = Buffer.from('bytes of a file');
  const files = [
    ['imageMessage', 'image', 'image/jpeg'],
    ['videoMessage', 'video', 'video/mp4'],
    ['audioMessage', 'audio', 'audio/mp4'],
    ['voice', 'voice', 'audio/ogg; codecs=opus'],
    ['documentMessage', 'document', 'application/pdf'],
  ] as const;
  for (const [name, kind, mimetype] of files) {
    it(`${kind}: with its bytes, and without them`, () => {
      const options = { mimetype, caption: 'Look', fileName: 'a.bin' };
      const { text, media } = message(fileContent(name, bytes, options));
      const file = { kind, mimeType: mimetype.split(';')[0], fileName: 'a.bin', bytes: bytes.length };
      assert.equal(text, 'Look');
      assert.deepEqual(media, [{ ref: null, base64: bytes.toString('base64'), ...file }]);
      const asked = message(fileContent(name, bytes, { ...options, isInline: false }));
      assert.deepEqual(asked.media, [{ ref: 'M1', ...file }]);
    });
  }

  it('with a caption is found inside its wrapper', () => {
    const inner = fileContent('documentMessage', bytes, { mimetype: 'text/plain', caption: 'Look' });
    const { base64, ...content } = inner;
    const { text, media } = message({ documentWithCaptionMessage: { message: content }, base64 });
    assert.equal(text, 'Look');
    assert.equal(media[0]?.base64, base64);
  });
});

describe('a message that is neither text nor a file', () => {
  const vcard = 'BEGIN:VCARD\nFN:Bob\nitem1.TEL;waid=5511:+55 11\nEND:VCARD';
  const kinds: [content: Record<string, unknown>, line: string][] = [
    [
      { locationMessage: { degreesLatitude: -23.5, degreesLongitude: -46.6, name: 'Office' } },
      'Location: Office (-23.5, -46.6)',
    ],
    [{ liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2 } }, 'Live location: 1, 2'],
    [{ contactMessage: { displayName: 'Bob', vcard } }, 'Contact: Bob (+55 11)'],
    [{ contactsArrayMessage: { contacts: [{ displayName: 'A' }, { displayName: 'B' }] } }, 'Contacts: A; B'],
    [{ stickerMessage: { mimetype: 'image/webp' }, base64: 'AAAA' }, 'Sticker'],
    [
      { pollCreationMessageV3: { name: 'When?', options: [{ optionName: 'Mon' }, { optionName: 'Tue' }] } },
      'Poll: When? – Mon / Tue',
    ],
    [{ pollUpdateMessage: { vote: { selectedOptions: ['Mon'] } } }, 'Poll vote: Mon'],
    [{ buttonsResponseMessage: { selectedButtonId: '1', selectedDisplayText: 'Yes' } }, 'Yes'],
    [{ listResponseMessage: { singleSelectReply: { selectedRowId: 'r1' } } }, 'Button: r1'],
    [{ interactiveResponseMessage: { body: { text: 'Monday' } } }, 'Monday'],
    [{ orderMessage: { orderTitle: 'Cakes', itemCount: 2 } }, 'Order: Cakes, 2 items'],
    [{ someNewMessage: { a: 1 } }, 'Unsupported message (some new)'],
  ];
  for (const [content, line] of kinds) {
    it(`becomes a line and keeps its data: ${line}`, () => {
      const { base64: _, ...payload } = content;
      const { text, media, payload: kept } = message(content);
      assert.deepEqual([text, media, kept], [line, [], payload]);
    });
  }
});

describe('other webhooks of a linked phone', () => {
  const customer = { id: ada.value, identifiers: [ada], name: null };

  it('are reactions, and their removal', () => {
    const react = (text: string, fromMe = false) =>
      translate('messages.upsert', upsert(reactionContent('M0', text), { id: 'R1', at: 2, fromMe }));
    const expected = {
      type: 'reaction',
      key: 'reaction:R1',
      customer: { ...customer, name: 'Ada' },
      providerMsgId: 'M0',
      at: 2_000,
    };
    assert.deepEqual(react('👍'), [{ ...expected, emoji: '👍' }]);
    assert.deepEqual(react(''), [{ ...expected, emoji: null }]);
    assert.deepEqual(react('👍', true), []);
  });

  it('are receipts of what was sent, not of what was received', () => {
    const status = (data: object) => translate('messages.update', { keyId: 'M1', fromMe: true, ...data })[0];
    const words = { SERVER_ACK: 'sent', DELIVERY_ACK: 'delivered', READ: 'read', PLAYED: 'read' };
    for (const [word, expected] of Object.entries(words)) {
      assert.deepEqual(status({ status: word }), {
        type: 'status',
        providerMsgId: 'M1',
        status: expected,
        reason: null,
        ourId: null,
      });
    }
    const failed = status({ status: 'ERROR' });
    assert.ok(failed?.type === 'status' && failed.status === 'failed' && failed.reason);
    assert.equal(status({ status: 'PENDING' }), undefined);
    assert.equal(status({ status: 'READ', fromMe: false }), undefined);
    assert.equal(status({ status: 'toString' }), undefined);
  });

  it('are edits, once each', () => {
    const key = { id: 'M1', remoteJid: customerAddress, fromMe: false };
    const edit = (editedMessage: object, timestampMs?: unknown) =>
      translate('messages.edited', { key, type: 'MESSAGE_EDIT', editedMessage, timestampMs })[0]!;
    const first = edit({ conversation: 'new' }, '1773027345000');
    assert.deepEqual(first, {
      type: 'edited',
      key: 'edited:M1:1773027345000',
      customer,
      providerMsgId: 'M1',
      text: 'new',
      at: 1_773_027_345_000,
    });
    const keyOf = (one: Inbound) => 'key' in one && one.key;
    const again = edit({ extendedTextMessage: { text: 'newer' } });
    assert.equal(keyOf(again), keyOf(edit({ conversation: 'newer' })));
    assert.notEqual(keyOf(again), keyOf(edit({ conversation: 'newest' })));
    assert.equal((edit({ imageMessage: { caption: 'caption' } }) as { text: string }).text, 'caption');
  });

  it('are deletions, in each of their forms', () => {
    const key = { id: 'M1', remoteJid: customerAddress, fromMe: false };
    const expected = [{ type: 'deleted', key: 'deleted:M1', customer, providerMsgId: 'M1', at: receivedAt }];
    assert.deepEqual(translate('messages.delete', { ...key, status: 'DELETED' }), expected);
    assert.deepEqual(translate('messages.delete', { key }), expected);
    assert.deepEqual(translate('messages.edited', { key, type: 'REVOKE' }), expected);
  });

  it('are states of the connection', () => {
    const state = (value: string) => translate('connection.update', { instance: 'i', state: value })[0];
    assert.deepEqual(state('open'), { type: 'state', state: 'connected', detail: null });
    assert.deepEqual(state('connecting'), { type: 'state', state: 'connecting', detail: null });
    for (const lost of ['close', 'refused']) {
      const one = state(lost);
      assert.ok(one?.type === 'state' && one.state === 'waiting_for_scan' && one.detail);
    }
    assert.equal(state('other'), undefined);
  });

  it('are QR codes, and only pictures', () => {
    const code = (qrcode: object) => translate('qrcode.updated', { qrcode })[0];
    const qr = 'data:image/png;base64,aGk=';
    assert.deepEqual(code({ code: '2@x', base64: qr, pairingCode: null }), {
      type: 'state',
      state: 'waiting_for_scan',
      detail: null,
      scan: { qr, pairingCode: null },
    });
    const other = code({ base64: 'data:text/html,<script>', pairingCode: 'ABCD' });
    assert.deepEqual(other?.type === 'state' && other.scan, { qr: null, pairingCode: 'ABCD' });
  });

  it('mean nothing when they cannot be read', () => {
    for (const text of ['', 'null', '[]', '{', '{"event":1}', '{"event":"messages.upsert","data":7}']) {
      assert.deepEqual(evolution.translate(link, { text, receivedAt }), []);
    }
    for (const data of [null, [null, 3], {}, { key: [] }, { key: { id: 'x', remoteJid: 3 } }]) {
      for (const event of ['messages.upsert', 'messages.update', 'messages.edited', 'messages.delete']) {
        assert.deepEqual(translate(event, data), []);
      }
    }
  });
});

it('whatever a gateway sends never throws, and is the same when it comes again', () => {
  const word = fc.constantFrom(
    'key',
    'id',
    'remoteJid',
    'fromMe',
    'message',
    'data',
    'status',
    'editedMessage',
  );
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(customerAddress),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(word, fc.string()), tie('tree'), { maxKeys: 6 }),
    ),
  }));
  const event = fc.constantFrom(
    'messages.upsert',
    'MESSAGES_UPDATE',
    'messages.edited',
    'messages.delete',
    'connection.update',
    'qrcode.updated',
  );
  fc.assert(
    fc.property(event, tree, (name, data) => {
      assert.deepEqual(translate(name, data), translate(name, data));
    }),
    { seed, numRuns: runsOf(300) },
  );
});

describe('the webhook of a linked phone', () => {
  const request = (body: unknown, secret = link.secret, method: 'GET' | 'POST' = 'POST') => ({
    method,
    url: link.inboundUrl,
    query: {},
    headers: { [secretHeader]: secret },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const body = { event: 'messages.upsert', data: upsert({ conversation: 'a\0b\ud800' }), apikey: 'token' };

  it('is accepted with our secret only', () => {
    assert.equal(evolution.verify(link, request(body)).status, 200);
    for (const secret of ['', 'x', `${link.secret}x`]) {
      assert.deepEqual(evolution.verify(link, request(body, secret)), { status: 401, accepted: null });
    }
    assert.equal(evolution.verify(link, { ...request(body), headers: {} }).status, 401);
    assert.equal(evolution.verify(link, request('{')).status, 400);
    assert.equal(evolution.verify(link, request('', link.secret, 'GET')).status, 405);
  });

  it('is stored without a key of the gateway and without characters that cannot be stored', () => {
    const nested = { ...body, data: { ...body.data, apiKey: 'token' } };
    const { accepted } = evolution.verify(link, request(nested));
    assert.ok(accepted && !accepted.includes('token'));
    const [one] = evolution.translate(link, { text: accepted, receivedAt });
    assert.equal((one as InboundMessage).text, 'ab\ufffd');
  });

  it('is not stored if it is of no use', () => {
    const status = {
      event: 'messages.upsert',
      data: upsert({ conversation: 'x' }, { from: 'status@broadcast' }),
    };
    for (const unused of [{ event: 'presence.update', data: {} }, status]) {
      assert.deepEqual(evolution.verify(link, request(unused)), { status: 200, accepted: null });
    }
  });
});
