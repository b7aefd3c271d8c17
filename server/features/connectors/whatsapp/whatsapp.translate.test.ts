import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { signMeta } from '../../../../test/support/providers/meta-server.ts';
import { providerLink } from '../../../../test/support/providers/provider-link.ts';
import {
  changedIdentity,
  changeOf,
  deliveryOf,
  echoOf,
  messageOf,
  metadata,
  numberIds,
  type Sender,
  statusOf,
  valueWith,
} from '../../../../test/support/providers/whatsapp-messages.ts';
import { runsOf, seed } from '../../../../test/support/sample.ts';
import type { Inbound, InboundMessage } from '../connectors.provider.ts';
import { whatsappCloud } from './whatsapp.ts';

type Values = Record<string, unknown>;

const link = providerLink({
  settings: { ...numberIds, graphVersion: 'v25.0', apiBase: 'https://graph.example' },
  credentials: { accessToken: 'token', appSecret: 'secret', verifyToken: 'verify' },
});
const receivedAt = 1_800_000_000_000;
const translate = (body: unknown): Inbound[] =>
  whatsappCloud.translate(link, { text: JSON.stringify(body), receivedAt });
const messages = (list: readonly Values[], sender?: Sender) =>
  translate(deliveryOf(changeOf(valueWith(list, sender))));
const one = (content: string | Values, sender?: Sender, own?: Values) => {
  const items = messages([messageOf(content, own)], sender);
  assert.equal(items.length, 1);
  return items[0] as InboundMessage;
};
const userId = 'US.13491208655302741918';

describe('a message of WhatsApp', () => {
  it('is read from every entry, change and list', () => {
    const first = changeOf(valueWith([messageOf('a'), messageOf('b')]));
    const second = changeOf({ ...valueWith([messageOf('c')]), statuses: [statusOf('wamid.x', 'sent')] });
    const body = deliveryOf(first, second);
    (body.entry as Values[])[0]!.changes = [first, changeOf(valueWith([messageOf('d')]))];
    const texts = translate(body).map((item) => (item.type === 'message' ? item.text : item.type));
    assert.deepEqual(texts, ['a', 'b', 'd', 'c', 'status']);
  });

  it('of another number, another object or an unknown field is ignored', () => {
    assert.deepEqual(translate(deliveryOf(changeOf(valueWith([messageOf('a')], {}, '999')))), []);
    assert.deepEqual(translate({ ...deliveryOf(changeOf(valueWith([messageOf('a')]))), object: 'page' }), []);
    assert.deepEqual(translate(deliveryOf(changeOf(valueWith([messageOf('a')]), 'account_update'))), []);
  });

  it('has the text, the time, the customer and what it quotes', () => {
    const own = { id: 'wamid.X', timestamp: '1749416383', context: { id: 'wamid.quoted' } };
    assert.deepEqual(one('Hi', { userId }, own), {
      type: 'message',
      key: 'wamid.X',
      customer: {
        id: '16505551234',
        identifiers: [
          { kind: 'phone', value: '16505551234' },
          { kind: 'chatapp', value: userId },
        ],
        name: 'Sheena',
      },
      providerMsgId: 'wamid.X',
      at: 1_749_416_383_000,
      order: null,
      text: 'Hi',
      media: [],
      quoted: 'wamid.quoted',
      isEcho: false,
    });
  });

  it('has a customer without a phone number', () => {
    const { customer } = one('Hi', { from: null, userId });
    assert.deepEqual(customer, {
      id: userId,
      identifiers: [{ kind: 'chatapp', value: userId }],
      name: 'Sheena',
    });
    assert.deepEqual(messages([messageOf('Hi')], { from: null, userId: 'not a user id' }), []);
    const enterprise = one('Hi', { from: null, userId: 'US.ENT.11815799212886844830' });
    assert.equal(enterprise.customer.id, 'US.ENT.11815799212886844830');
  });

  it('finds its sender among the contacts', () => {
    const value = valueWith([messageOf('Hi', { from_user_id: 'BR.2' })], { from: null });
    const contacts = [
      { user_id: 'BR.1', wa_id: '551100000001', profile: { name: 'One' } },
      { user_id: 'BR.2', wa_id: '551100000002', profile: { username: 'two' } },
    ];
    const [item] = translate(deliveryOf(changeOf({ ...value, contacts })));
    const { customer } = item as InboundMessage;
    assert.equal(customer.id, '551100000002');
    assert.equal(customer.name, '@two');
  });

  it('has a file with its kind, name and caption', () => {
    const file = { id: '42', mime_type: 'audio/ogg; codecs=opus', sha256: 'x' };
    const kinds: [Values, string, string | null, string][] = [
      [
        { type: 'image', image: { ...file, mime_type: 'image/jpeg', caption: 'Look' } },
        'image',
        null,
        'Look',
      ],
      [{ type: 'video', video: file }, 'video', null, ''],
      [{ type: 'document', document: { ...file, filename: 'bill.pdf' } }, 'document', 'bill.pdf', ''],
      [{ type: 'audio', audio: file }, 'audio', null, ''],
      [{ type: 'audio', audio: { ...file, voice: true } }, 'voice', null, ''],
      [{ type: 'sticker', sticker: { ...file, animated: false } }, 'sticker', null, 'Sticker'],
    ];
    for (const [content, kind, fileName, text] of kinds) {
      const message = one(content);
      assert.equal(message.text, text);
      assert.deepEqual(message.media.length, 1);
      const { mimeType, ...media } = message.media[0]!;
      assert.deepEqual(media, { ref: '42', kind, fileName, bytes: null });
      assert.ok(!mimeType?.includes(';'));
    }
  });

  it('of another type becomes a line and keeps its data', () => {
    const cases: [Values, string][] = [
      [
        { type: 'location', location: { latitude: 1.5, longitude: 2, name: 'Office', address: 'Road 1' } },
        'Location: Office, Road 1 (1.5, 2)',
      ],
      [
        {
          type: 'contacts',
          contacts: [{ name: { formatted_name: 'Ada' }, phones: [{ phone: '+1 650' }], emails: [] }],
        },
        'Contact: Ada (+1 650)',
      ],
      [{ type: 'button', button: { text: 'Yes', payload: 'yes' } }, 'Yes'],
      [
        {
          type: 'interactive',
          interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Blue', description: 'Dark' } },
        },
        'Blue\nDark',
      ],
      [
        {
          type: 'interactive',
          interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{}' } },
        },
        'Form: Sent',
      ],
      [
        {
          type: 'order',
          order: {
            catalog_id: '7',
            text: 'Please',
            product_items: [{ product_retailer_id: 'SKU', quantity: 2, item_price: 9, currency: 'EUR' }],
          },
        },
        'Order: 2 × SKU (9 EUR)\nPlease',
      ],
      [
        {
          type: 'unsupported',
          unsupported: { type: 'poll' },
          errors: [{ code: 131051, title: 'Unsupported', error_data: { details: 'Not supported' } }],
        },
        'Unsupported message (poll): Not supported',
      ],
      [{ type: 'new_kind', new_kind: { a: 1 } }, 'Unsupported message (new kind)'],
    ];
    for (const [content, line] of cases) {
      const message = one(content);
      assert.equal(message.text, line);
      const { type, ...payload } = content;
      assert.deepEqual(message.payload, payload, String(type));
    }
    const referral = { source_url: 'https://example.com', headline: 'Sale' };
    assert.deepEqual(one('Hi', {}, { referral }).payload, { referral });
  });

  it('sent from the phone is an echo to its customer', () => {
    const value = { ...metadata(), message_echoes: [echoOf('16505551234', 'Hello')] };
    const [echo] = translate(deliveryOf(changeOf(value, 'smb_message_echoes'))) as InboundMessage[];
    assert.deepEqual([echo?.isEcho, echo?.text, echo?.customer.id], [true, 'Hello', '16505551234']);
  });
});

describe('what changes a message of WhatsApp', () => {
  it('is a reaction, its removal, an edit or a deletion', () => {
    const original = { original_message_id: 'wamid.A' };
    const edited = { type: 'text', text: { body: 'New' } };
    const items = messages([
      messageOf({ type: 'reaction', reaction: { message_id: 'wamid.A', emoji: '👍' } }),
      messageOf({ type: 'reaction', reaction: { message_id: 'wamid.A' } }),
      messageOf({ type: 'edit', edit: { ...original, message: edited } }),
      messageOf({ type: 'edit', edit: { ...original, message: { type: 'image', image: { id: '1' } } } }),
      messageOf({ type: 'revoke', revoke: original }),
    ]);
    assert.deepEqual(
      items.map((item) => [item.type, 'emoji' in item ? item.emoji : 'text' in item ? item.text : null]),
      [
        ['reaction', '👍'],
        ['reaction', null],
        ['edited', 'New'],
        ['edited', ''],
        ['deleted', null],
      ],
    );
    assert.ok(items.every((item) => 'providerMsgId' in item && item.providerMsgId === 'wamid.A'));
    assert.equal(new Set(items.map((item) => ('key' in item ? item.key : ''))).size, 5);
  });

  it('is a status, with our id and a reason', () => {
    const errors = [{ code: 131047, title: 'Re-engagement message', error_data: { details: 'late' } }];
    const statuses = [
      statusOf('wamid.1', 'sent', { biz_opaque_callback_data: 'our-id' }),
      statusOf('wamid.1', 'played', { recipient_id: undefined, recipient_user_id: userId }),
      statusOf('wamid.2', 'failed', { errors }),
      statusOf('wamid.3', 'failed', { errors: [{ code: 999, title: 'Odd token' }] }),
      statusOf('wamid.4', 'deleted'),
    ];
    const items = translate(deliveryOf(changeOf({ ...metadata(), statuses })));
    assert.deepEqual(
      items.map((item) => item.type === 'status' && [item.status, item.ourId, item.reason]),
      [
        ['sent', 'our-id', null],
        ['read', null, null],
        ['failed', null, 'More than 24 hours have passed since the customer last wrote. Send a template.'],
        ['failed', null, 'WhatsApp could not deliver the message: Odd …, error 999.'],
      ],
    );
  });

  it('is a notice for operators where the system tells it: the customer has not written', () => {
    const system = { type: 'customer_identity_changed', body: 'The code changed' };
    const [notice] = translate(deliveryOf(changeOf(valueWith([messageOf({ type: 'system', system })]))));
    assert.equal(notice?.type, 'notice');
    assert.equal(notice?.type === 'notice' && notice.text, 'The code changed');
    const renumbered = { type: 'customer_changed_number', wa_id: '16505559999' };
    const told = translate(
      deliveryOf(changeOf(valueWith([messageOf({ type: 'system', system: renumbered })]))),
    );
    assert.deepEqual(
      told.map((item) => item.type === 'identity' && item.customer.id),
      ['16505559999'],
    );
  });

  it('is a new identity of the customer, in both forms', () => {
    const system = { type: 'user_changed_number', wa_id: '16505559999', user_id: 'US.2' };
    const value = {
      ...metadata(),
      messages: [
        changedIdentity({ ...system, previous_user_id: 'US.1' }, { id: 'wamid.S', from: '16505551234' }),
        changedIdentity({ user_id: 'US.4', previous_user_id: 'US.3' }),
        changedIdentity({ user_id: 'US.4', previous_user_id: 'US.4' }),
      ],
    };
    const update = { wa_id: '16505558888', user_id: { previous: 'US.5', current: 'US.6' } };
    const items = translate(
      deliveryOf(changeOf(value), changeOf({ user_id_update: [update] }, 'user_id_update')),
    );
    assert.deepEqual(
      items.map((item) =>
        item.type === 'identity'
          ? [item.customer.id, item.customer.identifiers.length, item.previous.map(({ value: id }) => id)]
          : item.type,
      ),
      [
        ['16505559999', 2, ['16505551234', 'US.1']],
        ['US.4', 1, ['US.3']],
        ['16505558888', 2, ['US.5']],
      ],
    );
    assert.equal('key' in items[0]! && items[0].key, 'wamid.S');
    const bare = translate(deliveryOf(changeOf({ ...update }, 'user_id_update')));
    assert.equal(bare.length, 1);
  });
});

describe('a delivery of WhatsApp', () => {
  const verify = (body: unknown) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { 'x-hub-signature-256': signMeta('secret', bytes) };
    return whatsappCloud.verify(link, {
      method: 'POST',
      url: link.inboundUrl,
      query: {},
      headers,
      body: bytes,
    });
  };

  it('is stored if it means something', () => {
    const body = deliveryOf(changeOf(valueWith([messageOf('Hi')])));
    assert.deepEqual(verify(body), { status: 200, accepted: JSON.stringify(body) });
    const other = deliveryOf(changeOf(valueWith([messageOf('Hi')], {}, '999')));
    assert.deepEqual(verify(other), { status: 200, accepted: null });
  });

  it('never throws, and is the same when it comes again', () => {
    const word = fc.constantFrom('id', 'type', 'from', 'from_user_id', 'system', 'text', 'contacts', 'edit');
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constantFrom(null, true, 'US.1', '16505551234', 'system'),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(word, fc.string()), tie('tree'), { maxKeys: 6 }),
      ),
    }));
    const list = fc.constantFrom('messages', 'statuses', 'message_echoes', 'user_id');
    const field = fc.constantFrom('messages', 'smb_message_echoes', 'user_id_update');
    fc.assert(
      fc.property(field, list, tree, (name, key, data) => {
        const body = deliveryOf(changeOf({ ...metadata(), [key]: [data], contacts: data }, name));
        assert.deepEqual(translate(body), translate(body));
      }),
      { seed, numRuns: runsOf(300) },
    );
  });
});
