import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type MessengerServer,
  startMessengerServer,
} from '../../../../test/support/providers/messenger-server.ts';
import { answerJson } from '../../../../test/support/providers/provider-http.ts';
import { closeProviderLinks, providerLink } from '../../../../test/support/providers/provider-link.ts';
import { failureOf, testPart } from '../../../../test/support/providers/provider-tests.ts';
import { startReceiver } from '../../../../test/support/receivers.ts';
import { type InboundMedia, type Link, limitsOf, type OutboundFile } from '../connectors.provider.ts';
import { messenger } from './messenger.ts';

let page: MessengerServer;
let instagram: MessengerServer;
let link: Link;
let instagramLink: Link;

const linkTo = ({
  url,
  pageId,
  platform,
  graphVersion,
  accessToken,
  appSecret,
  verifyToken,
}: MessengerServer) =>
  providerLink({
    settings: { apiBase: url, pageId, platform, graphVersion },
    credentials: { accessToken, appSecret, verifyToken },
  });

before(async () => {
  [page, instagram] = await Promise.all([startMessengerServer(), startMessengerServer('instagram')]);
  [link, instagramLink] = [linkTo(page), linkTo(instagram)];
});
after(async () => {
  await Promise.all([page.close(), instagram.close()]);
  await closeProviderLinks();
});

const fileOf = (own: Partial<OutboundFile>): OutboundFile => ({
  kind: 'image',
  name: 'a.png',
  mimeType: 'image/png',
  bytes: Buffer.from('picture'),
  url: null,
  ...own,
});

describe('sending with Messenger and Instagram', () => {
  it('sends a text with our id and its quote', async () => {
    const { providerMsgId, status } = await messenger.send(
      link,
      testPart('P1', { id: 'part-7', text: 'Hi', quoted: 'm_0' }),
    );
    const sent = page.sent('P1').at(-1)!;
    assert.deepEqual([sent.mid, status], [providerMsgId, 'sent']);
    assert.deepEqual([sent.text, sent.metadata, sent.quoted], ['Hi', 'part-7', 'm_0']);
    assert.deepEqual([sent.messagingType, sent.tag], ['RESPONSE', null]);
    await messenger.send(link, testPart('P1', { text: 'Hi', quoted: 'postback:P1:1' }));
    assert.equal(page.sent('P1').at(-1)!.quoted, null, 'Meta knows no such message');
    await messenger.send(instagramLink, testPart('I1', { text: 'Hi' }));
    assert.equal(instagram.sent('I1').at(-1)!.metadata, null);
  });

  it('uses HUMAN_AGENT after the window, and for people only', async () => {
    page.closedFor.add('P2');
    const send = (own: object) => messenger.send(link, testPart('P2', { text: 'Hi', ...own }));
    await send({ isByPerson: true, isAfterWindow: true });
    assert.deepEqual(
      page.sent('P2').map(({ messagingType, tag }) => [messagingType, tag]),
      [['MESSAGE_TAG', 'HUMAN_AGENT']],
    );
    for (const own of [{}, { isAfterWindow: true }, { isByPerson: true }]) {
      const { errorClass, message } = await failureOf(send(own));
      assert.equal(errorClass, 'final');
      assert.match(message, /customer has to write first/);
    }
    assert.equal(page.sent('P2').length, 1);
  });

  it('uploads files, or gives their address to Instagram', async () => {
    const upload = async (file: OutboundFile) => {
      await messenger.send(link, testPart('P3', { id: 'p1', file, isByPerson: true, isAfterWindow: true }));
      return page.sent('P3').at(-1)!;
    };
    const picture = await upload(fileOf({}));
    assert.deepEqual(
      [picture.attachment?.type, picture.attachment?.upload],
      ['image', { name: 'a.png', type: 'image/png', bytes: Buffer.from('picture') }],
    );
    assert.deepEqual([picture.metadata, picture.tag, picture.text], ['p1', 'HUMAN_AGENT', null]);
    assert.equal((await upload(fileOf({ kind: 'voice', mimeType: 'audio/ogg' }))).attachment?.type, 'audio');
    assert.equal((await upload(fileOf({ kind: 'document' }))).attachment?.type, 'file');
    const url = 'https://talkboard.example/files/1';
    await messenger.send(instagramLink, testPart('I3', { file: fileOf({ kind: 'video', url }) }));
    assert.deepEqual(instagram.sent('I3')[0]!.attachment, { type: 'video', url, upload: null });
    const [forPage, forInstagram] = [link, instagramLink].map(({ settings }) =>
      limitsOf(messenger, settings),
    );
    assert.deepEqual([forPage!.text, forPage!.files], [2_000, 'bytes']);
    assert.deepEqual([forInstagram!.text, forInstagram!.files], [1_000, 'url']);
  });

  it('shows typing, marks as seen and reacts', async () => {
    const to = { customerId: 'P4', identifiers: [] };
    await messenger.typing!(link, to);
    await messenger.markRead!(link, to, 'm_1');
    await messenger.react!(link, to, 'm_1', false, '🎉');
    await messenger.react!(link, to, 'm_1', false, null);
    assert.deepEqual(
      page.actions('P4').map(({ action, payload }) => ({ action, ...payload })),
      [
        { action: 'typing_on' },
        { action: 'mark_seen' },
        { action: 'react', message_id: 'm_1', reaction: '🎉' },
        { action: 'unreact', message_id: 'm_1' },
      ],
    );
    await messenger.react!(instagramLink, { ...to, customerId: 'I4' }, 'm_1', false, '❤️');
    assert.deepEqual(instagram.actions('I4')[0]!.payload, { message_id: 'm_1', reaction: 'love' });
    const pressed = messenger.react!(link, to, 'postback:P4:1', false, '🎉');
    assert.equal((await failureOf(pressed)).errorClass, 'final');
  });

  it('tells apart what can be retried, what is final and what is a matter of the credentials', async () => {
    const send = (own: Link = link) => failureOf(messenger.send(own, testPart('P5', { text: 'Hi' })));
    const cases = [
      [{ status: 400, code: 190 }, 'credentials'],
      [{ status: 400, code: 551 }, 'final'],
      [{ status: 400, code: 10 }, 'final'],
      [{ status: 403, code: 200 }, 'final'],
      [{ status: 400, code: 613 }, 'retry'],
      [{ status: 400, code: 4 }, 'retry'],
      [{ status: 400, code: 32 }, 'retry'],
      [{ status: 400, code: 1200 }, 'retry'],
      [{ status: 400, code: 2 }, 'retry'],
      [{ status: 503, code: 999 }, 'retry'],
      [{ drop: 'after' }, 'lost'],
    ] as const;
    for (const [failure, errorClass] of cases) {
      page.failNext(failure);
      assert.equal((await send()).errorClass, errorClass, JSON.stringify(failure));
    }
    page.failNext({ status: 429, code: 4, retryAfter: 3 });
    assert.equal((await send()).waitMs, 3_000);
    const wrong = await send({ ...link, credentials: { ...link.credentials, accessToken: 'expired' } });
    assert.equal(wrong.errorClass, 'credentials');
    page.unreachable.add('P6');
    const blocked = await failureOf(messenger.send(link, testPart('P6', { text: 'Hi' })));
    assert.match(blocked.message, /cannot be reached/);
  });
});

describe('an account of Messenger or Instagram', () => {
  it('is checked and subscribed', async () => {
    assert.equal((await messenger.check(link)).detail, 'Connected to the page Shop.');
    assert.equal((await messenger.check(instagramLink)).detail, 'Connected to the Instagram account Shop.');
    assert.equal((await messenger.connect(link)).state, 'connected');
    for (const field of [
      'messages',
      'messaging_postbacks',
      'message_reads',
      'message_echoes',
      'message_edits',
    ])
      assert.ok(page.subscribedFields.includes(field), field);
    instagram.failNext({ on: (name) => name.endsWith('subscribed_apps'), status: 400, code: 100 });
    await messenger.connect(instagramLink);
    assert.ok(instagram.subscribedFields.includes('messaging_seen'));
    assert.ok(!instagram.subscribedFields.includes('message_edit'), 'left out after it was rejected');
    const other = { ...link, settings: { ...link.settings, pageId: '1' } };
    assert.equal((await failureOf(messenger.check(other))).errorClass, 'final');
  });

  it('has files that need no token, and that expire', async () => {
    const bytes = Buffer.from('picture');
    const ref = page.addFile(bytes, 'image/png', 'a.png');
    const media: InboundMedia = { ref, kind: 'image', mimeType: null, fileName: null, bytes: null };
    const fetched = await messenger.fetchMedia(link, media, 1_000);
    assert.deepEqual(fetched, { bytes, mimeType: 'image/png', fileName: null });
    const statuses = { 401: 'gone', 403: 'gone', 418: 'gone', 429: 'retry', 503: 'retry' };
    for (const [status, errorClass] of Object.entries(statuses)) {
      // Of another host: what it says about a token is not about the channel's.
      const host = await startReceiver(async (_, response) =>
        answerJson(response, Number(status), { error: { code: 190 } }),
      );
      const failed = await failureOf(messenger.fetchMedia(link, { ...media, ref: host.origin }, 1_000));
      await host.close();
      assert.equal(failed.errorClass, errorClass, status);
    }
    page.expireFiles();
    assert.equal((await failureOf(messenger.fetchMedia(link, media, 1_000))).errorClass, 'gone');
    const nowhere = { ...media, ref: 'nowhere' };
    assert.equal((await failureOf(messenger.fetchMedia(link, nowhere, 1_000))).errorClass, 'gone');
  });
});
