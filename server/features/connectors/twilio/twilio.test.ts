import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import twilioWebhooks from 'twilio/lib/webhooks/webhooks.js';
import { answerJson } from '../../../../test/support/providers/provider-http.ts';
import { closeProviderLinks, providerLink } from '../../../../test/support/providers/provider-link.ts';
import { failureOf, testPart } from '../../../../test/support/providers/provider-tests.ts';
import { startTwilioServer, type TwilioServer } from '../../../../test/support/providers/twilio-server.ts';
import { startReceiver } from '../../../../test/support/receivers.ts';
import type { Inbound, InboundMedia, InboundRequest, Link } from '../connectors.provider.ts';
import { isSigned } from './twilio.signature.ts';
import { twilio } from './twilio.ts';

const { getExpectedTwilioSignature: sign, validateRequest } = twilioWebhooks;

let server: TwilioServer;
let link: Link;
before(async () => {
  server = await startTwilioServer();
  const settings = { accountSid: server.accountSid, from: server.from, apiBase: server.url };
  link = providerLink({ settings, credentials: { authToken: server.authToken } });
});
after(async () => {
  await closeProviderLinks();
  await server.close();
});

function inbound(form: Record<string, string>, query: Record<string, string> = {}): Inbound[] {
  const search = new URLSearchParams(query).toString();
  const url = link.inboundUrl + (search === '' ? '' : `?${search}`);
  const request: InboundRequest = {
    method: 'POST',
    url,
    query,
    headers: { 'x-twilio-signature': sign(server.authToken, url, form) },
    body: Buffer.from(new URLSearchParams(form).toString()),
  };
  const verdict = twilio.verify(link, request);
  assert.deepEqual(
    [verdict.status, verdict.contentType, verdict.body],
    [200, 'text/xml', '<Response></Response>'],
  );
  return twilio.translate(link, { text: verdict.accepted!, receivedAt: 5 });
}

describe("Twilio's signature", () => {
  const token = '12345';
  const form = {
    To: '+18005551212',
    From: '+14158675310',
    Digits: '1234',
    CallSid: 'CA1',
    Body: 'Grüße & mehr',
  };
  const fields = new URLSearchParams(form);

  it("is the one of Twilio's package, with the port and without it, over the query too", () => {
    const pairs: [signed: string, seen: string][] = [
      ['https://shop.example/connect/1', 'https://shop.example/connect/1'],
      ['https://shop.example:443/connect/1?part=2', 'https://shop.example/connect/1?part=2'],
      ['https://shop.example/connect/1?part=2', 'https://shop.example:443/connect/1?part=2'],
      ['http://shop.example/connect/1', 'http://shop.example:8080/connect/1'],
      ['http://shop.example:80/connect/1', 'http://shop.example/connect/1'],
      ['http://[::1]:80/connect/1', 'http://[::1]/connect/1'],
    ];
    for (const [signed, seen] of pairs) {
      const signature = sign(token, signed, form);
      assert.equal(isSigned(token, seen, fields, signature), true, seen);
      assert.equal(validateRequest(token, signature, seen, form), true, seen);
    }
  });

  it('does not fit another address, form, token or query', () => {
    const url = 'https://shop.example/connect/1?part=2';
    const signature = sign(token, url, form);
    const other = new URLSearchParams({ ...form, Digits: '9999' });
    assert.equal(isSigned(token, url, other, signature), false);
    assert.equal(isSigned('54321', url, fields, signature), false);
    assert.equal(isSigned(token, url.replace('part=2', 'part=3'), fields, signature), false);
    assert.equal(isSigned(token, 'https://other.example/connect/1?part=2', fields, signature), false);
    for (const given of ['', 'x', `${signature}=`]) assert.equal(isSigned(token, url, fields, given), false);
  });

  it('counts the values of a repeated name as the package does', () => {
    const repeated = new URLSearchParams([
      ['MediaUrl', 'b'],
      ['MediaUrl', 'a'],
      ['MediaUrl', 'b'],
    ]);
    const url = 'https://shop.example/connect/1';
    assert.equal(isSigned(token, url, repeated, sign(token, url, { MediaUrl: ['b', 'a', 'b'] })), true);
  });

  it('is checked before anything is stored, of a GET too', () => {
    const body = Buffer.from('MessageSid=SM1&From=%2B15550002222&Body=Hi');
    const wrong = { method: 'POST' as const, url: link.inboundUrl, query: {}, headers: {}, body };
    assert.deepEqual(twilio.verify(link, wrong), { status: 401, accepted: null });
    const url = `${link.inboundUrl}?MessageSid=SM1&From=%2B15550002222&Body=Hi`;
    const query = Object.fromEntries(new URL(url).searchParams);
    const headers = { 'x-twilio-signature': sign(server.authToken, url, {}) };
    const verdict = twilio.verify(link, { method: 'GET', url, query, headers, body: Buffer.alloc(0) });
    const [one] = twilio.translate(link, { text: verdict.accepted!, receivedAt: 5 });
    assert.equal(one?.type === 'message' && one.text, 'Hi');
  });
});

describe('requests of Twilio', () => {
  const customer = {
    id: '+5511987654321',
    identifiers: [{ kind: 'phone', value: '+5511987654321' }],
    name: null,
  };

  it('become a message', () => {
    const form = { MessageSid: 'SM1', SmsStatus: 'received', From: customer.id, Body: 'Hi', NumMedia: '0' };
    assert.deepEqual(inbound(form), [
      {
        type: 'message',
        key: 'message:SM1',
        customer,
        providerMsgId: 'SM1',
        at: 5,
        order: null,
        text: 'Hi',
        media: [],
        quoted: null,
        isEcho: false,
      },
    ]);
  });

  it('become a message with files', () => {
    const types = ['image/jpeg', 'video/3gpp', 'audio/amr', 'text/x-vcard'];
    const media = types.flatMap((type, index) => [
      [`MediaUrl${index}`, `https://api.twilio.com/${index}`],
      [`MediaContentType${index}`, type],
    ]);
    const form = { MessageSid: 'MM1', From: customer.id, NumMedia: '5', ...Object.fromEntries(media) };
    const [one] = inbound(form);
    assert.equal(one?.type, 'message');
    assert.deepEqual(
      one.media.map(({ ref, kind, mimeType }) => [ref, kind, mimeType]),
      types.map((type, index) => [
        `https://api.twilio.com/${index}`,
        ['image', 'video', 'audio', 'document'][index],
        type,
      ]),
    );
    assert.equal(one.text, '');
  });

  it('become a status with our id', () => {
    const report = (MessageStatus: string, own = {}) =>
      inbound(
        { MessageSid: 'SM1', MessageStatus, From: server.from, To: customer.id, ...own },
        { part: 'p-1' },
      );
    const status = { type: 'status', providerMsgId: 'SM1', reason: null, ourId: 'p-1' };
    for (const name of ['sent', 'delivered', 'read']) {
      assert.deepEqual(report(name), [{ ...status, status: name }]);
    }
    for (const name of ['queued', 'accepted', 'sending', 'scheduled']) assert.deepEqual(report(name), []);
    assert.deepEqual(report('undelivered', { ErrorCode: '30006' }), [
      {
        ...status,
        status: 'failed',
        reason: 'The phone number is a landline, or its carrier cannot be reached.',
      },
    ]);
    const [failed] = report('failed', { ErrorCode: '99999' });
    assert.match(failed?.type === 'status' ? failed.reason! : '', /error 99999/);
  });

  it('tell that a customer opted out, besides their message', () => {
    const found = inbound({ MessageSid: 'SM1', From: customer.id, Body: 'STOP', OptOutType: 'STOP' });
    assert.deepEqual(found[1], {
      type: 'reachable',
      key: 'reachable:SM1',
      customer,
      isReachable: false,
      at: 5,
    });
    assert.equal(found.length, 2);
  });

  it('become nothing where they cannot be read, and keep what is unusual', () => {
    assert.deepEqual(inbound({ From: customer.id, Body: 'Hi' }), []);
    assert.deepEqual(inbound({ MessageSid: 'SM1', Body: 'Hi' }), []);
    for (const text of ['', 'null', '{}', '{"form":7}', '[']) {
      assert.deepEqual(twilio.translate(link, { text, receivedAt: 1 }), [], text);
    }
    const [short] = inbound({ MessageSid: 'SM1', From: '12345', Body: '' });
    assert.equal(short?.type, 'message');
    assert.deepEqual([short.customer.identifiers[0]?.kind, short.text], ['external', 'Empty message']);
    assert.deepEqual(
      inbound({ MessageSid: 'S', From: '1'.repeat(9), Body: 'a\0b' }).map(
        (one) => one.type === 'message' && one.text,
      ),
      ['ab'],
    );
  });
});

describe('sending with Twilio', () => {
  it('sends a text with our id in the address of its status', async () => {
    const part = testPart('+5511987654321', { id: 'p/1', text: 'Hi' });
    const { providerMsgId, status } = await twilio.send(link, part);
    const sent = server.sent().at(-1)!;
    assert.deepEqual([sent.sid, status], [providerMsgId, 'sent']);
    assert.deepEqual([sent.to, sent.from, sent.body], ['+5511987654321', server.from, 'Hi']);
    assert.equal(sent.statusCallback, `${link.inboundUrl}?part=p%2F1`);
  });

  it('sends a file by its address, from a messaging service, to the number of the contact', async () => {
    const own = { ...link, settings: { ...link.settings, messagingServiceSid: 'MG1' } };
    const url = 'https://talkboard.example/files/1';
    const file = {
      kind: 'image' as const,
      name: 'a.png',
      mimeType: 'image/png',
      bytes: Buffer.alloc(0),
      url,
    };
    const to = { customerId: 'other', identifiers: [{ kind: 'phone' as const, value: '5511987654321' }] };
    await twilio.send(own, testPart('', { to, file }));
    const sent = server.sent().at(-1)!;
    assert.deepEqual([sent.to, sent.from, sent.messagingServiceSid], ['+5511987654321', null, 'MG1']);
    assert.deepEqual([sent.body, sent.mediaUrls], ['', [url]]);
  });

  it('tells apart what can be retried, what is final and what is a matter of the credentials', async () => {
    const send = (own: Link = link, to = '+5511987654321') =>
      failureOf(twilio.send(own, testPart(to, { text: 'Hi' })));
    server.failNext({ status: 429, code: 20429, retryAfter: 3 });
    assert.deepEqual(await send(), {
      errorClass: 'retry',
      message: 'Twilio asks to send more slowly.',
      waitMs: 3_000,
    });
    server.failNext({ status: 503 });
    assert.equal((await send()).errorClass, 'retry');
    server.failNext({ drop: 'after' });
    assert.equal((await send()).errorClass, 'lost');
    server.optOut('+5511900000001');
    const stopped = await send(link, '+5511900000001');
    assert.equal(stopped.errorClass, 'final');
    assert.match(stopped.message, /opted out with STOP/);
    const final: [status: number, code: number, said: RegExp][] = [
      [400, 21211, /not valid/],
      [400, 30003, /switched off/],
      [400, 30005, /unknown/],
      [400, 11111, /^Twilio rejected the message: Failed on request \(error 11111\)$/],
    ];
    for (const [status, code, said] of final) {
      server.failNext({ status, code });
      const { errorClass, message } = await send();
      assert.equal(errorClass, 'final');
      assert.match(message, said);
    }
    assert.match((await send(link, 'nobody')).message, /no phone number/);
    const authToken = 'f'.repeat(32);
    const wrong = await send({ ...link, credentials: { authToken } });
    assert.equal(wrong.errorClass, 'credentials');
    server.failNext({ status: 400, code: 21606, message: `${server.authToken} is no sender` });
    const sender = await send();
    assert.deepEqual([sender.errorClass, sender.message.includes(server.authToken)], ['credentials', false]);
    const nowhere = { ...link.settings, accountSid: 'AC1' };
    assert.equal((await send({ ...link, settings: nowhere })).errorClass, 'credentials');
  });

  it('finds a message whose response was lost, and knows when there is none', async () => {
    const since = Date.now();
    const part = testPart('+5511900000002', { text: 'Only once' });
    assert.equal(await twilio.find!(link, part, since), 'not sent');
    server.failNext({ drop: 'after' });
    await failureOf(twilio.send(link, part));
    const { sid } = server.sent().at(-1)!;
    assert.deepEqual(await twilio.find!(link, part, since), { providerMsgId: sid, status: 'sent' });
    const isLinked = async (sids: readonly string[]) => new Set(sids);
    assert.equal(await twilio.find!(link, part, since, isLinked), 'not sent');
    const { settings } = link;
    const other = { ...link, settings: { ...settings, from: '+15550009999', messagingServiceSid: null } };
    assert.equal(await twilio.find!(other, part, since), 'not sent', 'sent from another number');
    assert.equal(await twilio.find!(link, { ...part, text: 'Another' }, since), 'not sent');
    assert.equal(await twilio.find!(link, part, since + 3_600_000), 'not sent');
  });
});

it('a file is fetched with the credentials, and is gone when Twilio no longer has it', async () => {
  const bytes = Buffer.from('picture');
  // Its answer does not matter here: nothing listens at the inbound address.
  server.inboundUrl = `${server.url}/nowhere`;
  const { sid } = await server.customerWrites({ media: [{ bytes, type: 'image/png' }] });
  const ref = `${server.url}/2010-04-01/Accounts/${server.accountSid}/Messages/${sid}/Media/`;
  const id = (Number.parseInt(sid.slice(2), 16) + 1).toString(16).padStart(32, '0');
  const media: InboundMedia = {
    ref: `${ref}ME${id}`,
    kind: 'image',
    mimeType: null,
    fileName: null,
    bytes: null,
  };
  const fetched = await twilio.fetchMedia(link, media, 1_000);
  assert.deepEqual(fetched, { bytes, mimeType: 'image/png', fileName: null });
  const answers: [object, string][] = [
    [{ code: 20003, message: 'Authenticate' }, 'credentials'],
    [{ message: 'the signature of the store has expired' }, 'gone'],
  ];
  for (const [body, errorClass] of answers) {
    const store = await startReceiver(async (_, response) => answerJson(response, 401, body));
    const failed = await failureOf(twilio.fetchMedia(link, { ...media, ref: store.origin }, 1_000));
    await store.close();
    assert.equal(failed.errorClass, errorClass);
  }
  server.expireMedia();
  assert.equal((await failureOf(twilio.fetchMedia(link, media, 1_000))).errorClass, 'gone');
});

it('the check names the account and the sender, and the settings need a sender', async () => {
  const { detail } = await twilio.check(link);
  assert.equal(detail, `Connected to the account Shop, sending from ${server.from}.`);
  const { state } = await twilio.connect(link);
  assert.equal(state, 'connected');
  assert.match(twilio.checkSettings!({ accountSid: 'AC1' })!, /connector\.from/);
});

it('the account, the number and the messaging service must have their form', () => {
  const sid = 'ac'.repeat(16);
  const right = { accountSid: `AC${sid}`, from: '+15550001111' };
  const check = (settings: object) => twilio.checkSettings!({ ...right, ...settings });
  for (const from of ['+5511987654321', '55512', 'Example Co']) assert.equal(check({ from }), null, from);
  assert.equal(check({ from: undefined, messagingServiceSid: `MG${sid}` }), null);
  for (const accountSid of ['hello', 'AC1', `AC${sid}0`, `SK${sid}`]) {
    assert.match(check({ accountSid })!, /^connector\.accountSid must be AC and 32/, accountSid);
  }
  for (const from of ['555 1234', '+0123', '15550001111', 'A sender too long']) {
    assert.match(check({ from })!, /^connector\.from must be a number with its country code/, from);
  }
  assert.match(check({ messagingServiceSid: 'MG1' })!, /^connector\.messagingServiceSid must be MG/);
  const apiBase = 'http://127.0.0.1:8080';
  assert.equal(check({ accountSid: 'AC1', messagingServiceSid: 'MG1', apiBase }), null);
});
