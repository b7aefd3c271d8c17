/** Text messages from the account to the last receipt: a whole service and a fake Twilio. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clip } from '../../../../test/support/audio.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import {
  type ConnectedChannel,
  startConnectedChannel,
  withId,
} from '../../../../test/support/providers/connected-channel.ts';
import { startTwilioServer, type TwilioServer } from '../../../../test/support/providers/twilio-server.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import type { Json } from '../../../../test/support/service.ts';

let twilio: TwilioServer;
let channel: ConnectedChannel;
let customers = 0;

before(async () => {
  twilio = await startTwilioServer();
  channel = await startConnectedChannel('sms', {
    kind: 'twilio',
    apiBase: twilio.url,
    accountSid: twilio.accountSid,
    from: twilio.from,
    credentials: { authToken: twilio.authToken },
  });
  twilio.serviceUrl = channel.files.base;
  twilio.inboundUrl = (await channel.connector()).inboundUrl;
});
after(async () => {
  await channel?.close();
  await twilio?.close();
});

async function newCustomer() {
  const from = `+5511${900_000_000 + customers++}`;
  const sessionId = await channel.quietSession('twilio', from);
  const receive = async (content: Parameters<TwilioServer['customerWrites']>[0]) => {
    const { sid, status, answer } = await twilio.customerWrites(content, { from });
    assert.deepEqual([status, answer], [200, '<Response></Response>']);
    return channel.stored(sessionId, withId(sid));
  };
  const sent = async (count: number, withinMs?: number) => {
    await eventually(() => twilio.sent(from).length >= count, withinMs);
    assert.equal(twilio.sent(from).length, count);
    return twilio.sent(from);
  };
  return { from, sessionId, receive, sent };
}

describe('text messages by Twilio', () => {
  it('are answered by the AI', async () => {
    assert.equal((await channel.act('check')).ok, true);
    const from = '+5511800000000';
    const { sid } = await twilio.customerWrites('What is Talkboard?', { from });
    const sessionId = `twilio:${from}`;
    await channel.stored(sessionId, withId(sid));
    const [reply] = await channel.talks.replied(sessionId);
    const marked = await channel.stored(
      sessionId,
      (one) => one.id === reply!.id && one.providerMsgId !== null,
    );
    assert.equal(marked.providerMsgId, twilio.sent(from)[0]!.sid);
    assert.equal((await channel.talks.session(sessionId)).externalUserId, from);
  });

  it('are stored once, and only with the right signature', async () => {
    const { sessionId, receive } = await newCustomer();
    await receive('One');
    await twilio.redeliver();
    await receive('Two');
    const texts = (await channel.talks.messages(sessionId)).map(({ content }) => content);
    assert.deepEqual(texts, ['Welcome', 'One', 'Two']);
    for (const signature of [null, 'wrong']) assert.equal(await twilio.deliverWithSignature(signature), 401);
    // Counted for the channel's page, and written together.
    await eventually(async () => (await channel.connector()).rejected?.count === 2);
    assert.ok((await channel.connector()).rejected.lastAt > 0);
  });

  it('are sent plain, and a long one in numbered parts with one status', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await receive('Hi');
    await channel.operatorSays(sessionId, { content: '**Bold** [link](https://example.com)' });
    const [first] = await sent(1);
    assert.match(first!.body, /^Bold link.*https:\/\/example\.com/);
    const id = await channel.operatorSays(sessionId, {
      content: 'One of many sentences. '.repeat(100).trim(),
    });
    const parts = (await sent(3)).slice(1);
    assert.deepEqual(
      parts.map(({ body }) => body.slice(0, 6)),
      ['(1/2) ', '(2/2) '],
    );
    for (const { sid } of parts) assert.equal(await twilio.reportStatus(sid, 'delivered'), 200);
    await channel.stored(sessionId, (one) => one.id === id && one.status === 'delivered');
  });

  it('have receipts, early ones too, and failures with a reason', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await receive('Hi');
    twilio.reportsBeforeAnswer = ['sent', 'delivered'];
    const early = await channel.operatorSays(sessionId, { content: 'Early' });
    await channel.stored(sessionId, (one) => one.id === early && one.status === 'delivered');
    twilio.reportsBeforeAnswer = [];
    const failing = await channel.operatorSays(sessionId, { content: 'Nobody there' });
    const [, last] = await sent(2);
    await twilio.reportStatus(last!.sid, 'undelivered', 30005);
    const failed = await channel.stored(sessionId, (one) => one.id === failing && one.status === 'failed');
    assert.equal(failed.statusReason, 'The phone number is unknown or no longer in use.');
  });

  it('bring every kind of file, and name those that are gone', async () => {
    const { receive } = await newCustomer();
    for (const type of ['image/jpeg', 'image/gif', 'video/mp4', 'audio/mpeg', 'application/pdf']) {
      const bytes = sampleFiles[type]!();
      const { content, attachments } = await receive({ body: 'Look', media: [{ bytes, type }] });
      assert.equal(content, 'Look');
      assert.deepEqual([attachments[0].contentType, attachments[0].size], [type, bytes.length]);
    }
    const vcard = { bytes: Buffer.from('BEGIN:VCARD\nEND:VCARD'), type: 'text/x-vcard' };
    const other = await receive({ media: [vcard] });
    assert.match(other.content, /contact\.vcf/);
  });

  it('take every kind of file along by its address, and no reaction', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    const first = await receive('Hi');
    const kinds = ['image/png', 'video/mp4', 'audio/mpeg', 'application/pdf'].map((type) => ({
      type,
      bytes: sampleFiles[type]!(),
    }));
    const uploads = kinds.map(({ type, bytes }) => channel.files.upload(type, bytes, 'a file'));
    await channel.operatorSays(sessionId, { content: 'Look', attachments: await Promise.all(uploads) });
    const parts = await sent(kinds.length, 30_000);
    for (const [index, { bytes, type }] of kinds.entries()) {
      const { body, mediaUrls } = parts[index]!;
      assert.deepEqual([body, mediaUrls.length], [index === 0 ? 'Look' : '', 1], type);
      const fetched = await channel.files.fetchFile(mediaUrls[0]!);
      assert.deepEqual([fetched.status, fetched.bytes], [200, bytes], type);
    }
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages/reactions`;
    const body = { providerMsgId: first.providerMsgId, action: 'add', emoji: '👍' };
    await channel.talks.expect(200, channel.service.call('POST', path, { body }));
    await channel.operatorSays(sessionId, { content: 'After it', replyToMessageId: first.id });
    const last = (await sent(kinds.length + 1)).at(-1);
    assert.equal(last!.body, 'After it', 'a text message quotes nothing');
  });

  it('bring recordings, which are transcribed', async () => {
    const { sessionId, receive } = await newCustomer();
    await channel.change({ settings: { transcribe: 'all' } });
    const { id } = await receive({ media: [{ bytes: clip('order.amr'), type: 'audio/amr' }] });
    const heard = (one: Json) => one.id === id && one.attachments[0].transcript !== undefined;
    const { attachments } = await channel.stored(sessionId, heard, 30_000);
    assert.equal(attachments[0].transcript.text, 'Where is my order?');
  });

  it('fail with a reason after STOP, and a blocked contact gets nothing through', async () => {
    const { from, sessionId, receive } = await newCustomer();
    await receive({ body: 'STOP', optOutType: 'STOP' });
    twilio.optOut(from);
    const id = await channel.operatorSays(sessionId, { content: 'Hello?' });
    const failed = await channel.stored(sessionId, (one) => one.id === id && one.status === 'failed');
    assert.match(failed.statusReason, /opted out with STOP/);
    assert.equal((await channel.talks.session(sessionId)).needsAttention, true);

    const blocked = await newCustomer();
    const path = `/blocked-contacts/${encodeURIComponent(blocked.from)}`;
    await channel.talks.expect(201, channel.service.call('POST', path));
    assert.equal((await twilio.customerWrites('Let me in', { from: blocked.from })).status, 200);
    await receive('After it');
    const texts = (await channel.talks.messages(blocked.sessionId)).map(({ content }) => content);
    assert.deepEqual(texts, ['Welcome']);
  });

  it('are not sent twice when the response was lost', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await receive('Hi');
    twilio.failNext({ on: (name) => name.startsWith('POST'), drop: 'after' });
    const id = await channel.operatorSays(sessionId, { content: 'Only once' });
    const linked = (one: Json) => one.id === id && one.providerMsgId !== null;
    const message = await channel.stored(sessionId, linked, 30_000);
    assert.equal(message.providerMsgId, (await sent(1))[0]!.sid);
  });

  it('wait while the token is wrong, and go out with the right one', async () => {
    const { sessionId, receive, sent } = await newCustomer();
    await receive('Hi');
    const authToken = 'fedcba9876543210fedcba9876543210';
    twilio.setAuthToken(authToken);
    await channel.operatorSays(sessionId, { content: 'One' });
    await channel.stateIs('error');
    await channel.operatorSays(sessionId, { content: 'Two' });
    assert.match((await channel.connector()).lastError, /rejected the account SID/);
    await channel.change({ connector: { credentials: { authToken } } });
    await channel.stateIs('connected');
    assert.deepEqual(
      (await sent(2)).map(({ body }) => body),
      ['One', 'Two'],
    );
  });
});
