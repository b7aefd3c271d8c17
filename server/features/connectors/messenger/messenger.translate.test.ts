import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { providerLink } from '../../../../test/support/providers/provider-link.ts';
import { messenger } from './messenger.ts';

const page = '104';
const customer = { id: 'P1', identifiers: [{ kind: 'chatapp', value: 'P1' }], name: null };
const link = providerLink({ settings: { pageId: page, platform: 'page' } });

const translate = (body: unknown) =>
  messenger.translate(link, { text: typeof body === 'string' ? body : JSON.stringify(body), receivedAt: 7 });
const event = (fields: object, from = 'P1', to = page) => ({
  sender: { id: from },
  recipient: { id: to },
  timestamp: 1_000,
  ...fields,
});
const delivery = (...events: object[]) => ({ object: 'page', entry: [{ id: page, messaging: events }] });
const of = (fields: object) => translate(delivery(event(fields)));
const message = (fields: object) => {
  const [one, ...others] = of({ message: { mid: 'm_1', ...fields } });
  assert.deepEqual(others, []);
  assert.equal(one?.type, 'message');
  return one;
};
const attached = (...attachments: object[]) => message({ attachments });

describe('deliveries of Messenger and Instagram', () => {
  it('are read to the last event of the last entry, of this account only', () => {
    const events = ['a', 'b', 'c', 'd'].map((mid) => event({ message: { mid, text: mid } }));
    const found = translate({
      object: 'page',
      entry: [
        { id: page, messaging: events.slice(0, 2), standby: events },
        { id: '999', messaging: [event({ message: { mid: 'x', text: 'x' } }, 'P1', '999')] },
        // As in Meta's shortest examples: without an id.
        { messaging: [events[2], event({ message: { mid: 'y', text: 'y' } }, 'P1', '999')] },
        { id: page, changes: [{ field: 'feed' }] },
        { id: Number(page), messaging: [events[3]] },
      ],
    });
    assert.deepEqual(
      found.map((one) => one.type === 'message' && one.providerMsgId),
      ['a', 'b', 'c', 'd'],
    );
  });

  it('that nobody can read become nothing', () => {
    const bodies = [
      '',
      '[',
      'null',
      '7',
      '{}',
      { entry: 7 },
      { entry: [null, { messaging: [null, 7, {}] }] },
    ];
    for (const body of bodies) assert.deepEqual(translate(body), []);
    const nothing = [
      {},
      { message: {} },
      { message: { mid: 7 } },
      { reaction: { action: 'react' } },
      { reaction: { mid: 'm', action: 'other' } },
      { message_edit: { mid: 'm' } },
      { read: {} },
      { read: { watermark: 0 } },
      { delivery: { mids: [7] } },
      { referral: {} },
      { optin: {} },
      { pass_thread_control: {} },
    ];
    for (const fields of nothing) assert.deepEqual(of(fields), [], JSON.stringify(fields));
    assert.deepEqual(translate(delivery(event({ message: { mid: 'm', text: 't' } }, page, page))), []);
  });

  it('keep what led the customer here: with a message, a button or alone', () => {
    const told = { ref: 'spring', source: 'ADS', type: 'OPEN_THREAD', ad_id: 42, ads_context_data: {} };
    const referral = { source: 'ADS', type: 'OPEN_THREAD', ref: 'spring', adId: '42' };
    assert.deepEqual(message({ text: 'Hi', referral: told }).referral, referral);
    const [button] = of({ postback: { mid: 'm', title: 'Start', referral: { ref: 'qr' } } });
    assert.deepEqual(button?.type === 'message' && button.referral, { source: null, type: null, ref: 'qr' });
    assert.deepEqual(of({ referral: told }), [
      {
        type: 'notice',
        key: 'referral:P1:1000',
        customer,
        text: 'The customer came by a link: ADS, OPEN_THREAD, spring',
        at: 1_000,
        referral,
      },
    ]);
  });

  it('bring text with its quote', () => {
    assert.deepEqual(message({ text: 'Hi', reply_to: { mid: 'm_0' } }), {
      type: 'message',
      key: 'm_1',
      customer,
      providerMsgId: 'm_1',
      at: 1_000,
      order: null,
      text: 'Hi',
      media: [],
      quoted: 'm_0',
      isEcho: false,
    });
  });

  it('bring files by their address', () => {
    const url = 'https://cdn.example/v/t1/My%20bill.pdf?oh=1';
    const kinds = ['image', 'video', 'audio', 'file'] as const;
    const { text, media, payload } = attached(...kinds.map((type) => ({ type, payload: { url } })));
    assert.deepEqual([text, payload], ['', undefined]);
    assert.deepEqual(
      media.map(({ kind, ref, fileName }) => [kind, ref, fileName]),
      [
        ['image', url, null],
        ['video', url, null],
        ['audio', url, null],
        ['document', url, 'My bill.pdf'],
      ],
    );
    assert.equal(attached({ type: 'image', payload: {} }).text, 'Unsupported attachment (image)');
  });

  it('bring everything else as a readable line, with the original', () => {
    const url = 'https://example.com/1';
    const lines: [attachment: object, line: string][] = [
      [
        { type: 'location', title: 'Office', payload: { coordinates: { lat: 1.5, long: -2 } } },
        'Location: Office (1.5, -2)',
      ],
      [{ type: 'location', payload: {} }, 'Location'],
      [{ type: 'fallback', title: 'News', url }, `Shared link: News ${url}`],
      [{ type: 'share', payload: { url } }, `Shared post: ${url}`],
      [{ type: 'ig_reel', payload: { url, title: 'Dance' } }, `Shared reel: Dance ${url}`],
      [{ type: 'story_mention', payload: { url } }, `Mentioned you in a story: ${url}`],
      [{ type: 'template', payload: { text: 'Choose' } }, 'Message with buttons: Choose'],
      [{ type: 'hologram' }, 'Unsupported attachment (hologram)'],
      [{}, 'Unsupported attachment (unknown)'],
    ];
    for (const [attachment, line] of lines) {
      const { text, payload } = attached(attachment);
      assert.equal(text, line);
      assert.deepEqual(payload, { mid: 'm_1', attachments: [attachment] });
    }
    const linked = message({ text: `See ${url}`, attachments: [{ type: 'fallback', title: 'News', url }] });
    assert.equal(linked.text, `See ${url}`);
    const story = { story: { url, id: '5' } };
    assert.equal(message({ text: 'Nice', reply_to: story }).text, `Reply to your story: ${url}\nNice`);
    assert.equal(message({ is_unsupported: true }).text, 'Unsupported message');
    const quick = message({ text: 'Red', quick_reply: { payload: 'COLOR_RED' } });
    assert.deepEqual(
      [quick.text, (quick.payload as { quick_reply: object }).quick_reply],
      ['Red', { payload: 'COLOR_RED' }],
    );
  });

  it('bring buttons that were pressed', () => {
    const postback = { mid: 'm_9', title: 'Talk to us', payload: 'TALK' };
    const [pressed] = of({ postback });
    assert.equal(pressed?.type, 'message');
    assert.deepEqual([pressed.text, pressed.providerMsgId, pressed.payload], ['Talk to us', 'm_9', postback]);
    const [older] = of({ postback: { payload: 'GET_STARTED' } });
    assert.equal(older?.type, 'message');
    assert.deepEqual([older.text, older.key], ['GET_STARTED', 'postback:P1:1000']);
  });

  it('tell echoes, with what we sent along', () => {
    const echo = (fields: object) =>
      translate(
        delivery(event({ message: { mid: 'm_2', is_echo: true, text: 'Hello', ...fields } }, page, 'P1')),
      )[0];
    const others = echo({ app_id: 5 });
    assert.equal(others?.type, 'message');
    assert.deepEqual([others.isEcho, others.customer.id, 'ourId' in others], [true, 'P1', false]);
    const ours = echo({ metadata: 'part-1' });
    assert.equal(ours?.type === 'message' && ours.ourId, 'part-1');
    assert.equal('ourId' in message({ text: 'Hi', metadata: 'forged' }), false, 'only the page has metadata');
    assert.deepEqual(translate(delivery(event({ reaction: { mid: 'm', action: 'react' } }, page, 'P1'))), []);
  });

  it('change messages', () => {
    const common = { customer, providerMsgId: 'm_1', at: 1_000 };
    const cases: [fields: object, item: object][] = [
      [
        { reaction: { mid: 'm_1', action: 'react', emoji: '😮' } },
        { type: 'reaction', key: 'm_1:1000:react', emoji: '😮' },
      ],
      [
        { reaction: { mid: 'm_1', action: 'react', reaction: 'love' } },
        { type: 'reaction', key: 'm_1:1000:react', emoji: '❤️' },
      ],
      [
        { reaction: { mid: 'm_1', action: 'unreact' } },
        { type: 'reaction', key: 'm_1:1000:unreact', emoji: null },
      ],
      [
        { message_edit: { mid: 'm_1', text: 'New', num_edit: 2 } },
        { type: 'edited', key: 'm_1:2', text: 'New' },
      ],
      [{ message: { mid: 'm_1', is_deleted: true } }, { type: 'deleted', key: 'm_1' }],
    ];
    for (const [fields, item] of cases) assert.deepEqual<unknown>(of(fields), [{ ...common, ...item }]);
  });

  it('report what was delivered and read, by message and by time', () => {
    const status = { type: 'status', reason: null, ourId: null };
    const watermark = { type: 'watermark', customer };
    assert.deepEqual(of({ delivery: { mids: ['a', 'b'], watermark: 500 } }), [
      { ...status, providerMsgId: 'a', status: 'delivered' },
      { ...status, providerMsgId: 'b', status: 'delivered' },
      { ...watermark, key: 'delivered:P1:500', status: 'delivered', at: 500 },
    ]);
    assert.deepEqual(of({ read: { watermark: 600 } }), [
      { ...watermark, key: 'read:P1:600', status: 'read', at: 600 },
    ]);
    // Instagram.
    assert.deepEqual(of({ read: { mid: 'a' } }), [
      { ...status, providerMsgId: 'a', status: 'read' },
      { ...watermark, key: 'read:P1:1000', status: 'read', at: 1_000 },
    ]);
  });
});
