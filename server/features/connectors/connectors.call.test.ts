import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type Receiver, startReceiver } from '../../../test/support/receivers.ts';
import { parseOutboundAllow } from '../../platform/outbound/outbound-address.ts';
import { createSafeFetch, type SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import { createCall, createRedact } from './connectors.call.ts';
import { secretsOf } from './connectors.links.ts';
import { ProviderError, type ProviderRequest } from './connectors.provider.ts';

const token = '123:secret-token';
let provider: Receiver;
let store: Receiver;
let safeFetch: SafeFetch;
let call: ReturnType<typeof createCall>;
let seen: { method: string; headers: IncomingMessage['headers']; body: string }[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  seen.push({ method: request.method!, headers: request.headers, body: Buffer.concat(chunks).toString() });
  if (request.url === '/redirect') response.writeHead(302, { location: `${store.origin}/file` }).end();
  else if (request.url === '/cut') request.socket.destroy();
  else if (request.url === '/large') response.end(Buffer.alloc(2 * 1024 * 1024));
  else response.setHeader('content-type', 'application/json').end('{"ok":true}');
}

before(async () => {
  provider = await startReceiver(answer);
  store = await startReceiver(answer);
  safeFetch = createSafeFetch({ allow: parseOutboundAllow('127.0.0.0/8') });
  call = createCall(safeFetch, createRedact([token]));
});
after(async () => {
  await safeFetch.close();
  await provider.close();
  await store.close();
});

const rejection = async (request: ProviderRequest): Promise<ProviderError> => {
  const error = await call(request).then(
    () => null,
    (thrown) => thrown,
  );
  assert.ok(error instanceof ProviderError);
  return error;
};

describe('calls to a provider', () => {
  it('send JSON, forms and files, and read the answer', async () => {
    seen = [];
    const url = `${provider.origin}/bot${token}/x`;
    assert.deepEqual((await call({ url, json: { a: 1 } })).json, { ok: true });
    await call({ url, form: { To: '+1 2', MediaUrl: ['a', 'b'] } });
    const file = { field: 'photo', name: 'a"b.png', type: 'image/png', bytes: Buffer.from('bytes') };
    await call({ url, multipart: { fields: { chat_id: '7' }, file } });
    assert.deepEqual(
      seen.map((one) => [one.method, one.headers['content-type']!.split(';')[0]]),
      [
        ['POST', 'application/json'],
        ['POST', 'application/x-www-form-urlencoded'],
        ['POST', 'multipart/form-data'],
      ],
    );
    assert.equal(seen[1]!.body, 'To=%2B1+2&MediaUrl=a&MediaUrl=b');
    const form = await new Response(seen[2]!.body, {
      headers: { 'content-type': seen[2]!.headers['content-type']! },
    }).formData();
    assert.equal(form.get('chat_id'), '7');
    assert.equal(await (form.get('photo') as File).text(), 'bytes');
  });

  it('follow redirects of files and leave the credentials behind', async () => {
    seen = [];
    const headers = { authorization: 'Basic x', apikey: 'y' };
    assert.equal((await call({ url: `${provider.origin}/redirect`, headers })).status, 200);
    assert.equal(seen[0]!.headers.authorization, 'Basic x');
    assert.equal(seen[1]!.headers.authorization, undefined);
    assert.equal(seen[1]!.headers.apikey, undefined);
    assert.equal((await call({ url: `${provider.origin}/redirect`, json: {} })).status, 302);
  });

  it('reject with the class of the failure, without the token', async () => {
    const cut = `${provider.origin}/cut`;
    assert.equal((await rejection({ url: cut, json: {} })).errorClass, 'lost');
    assert.equal((await rejection({ url: cut })).errorClass, 'retry');
    assert.equal((await rejection({ url: `${provider.origin}/large` })).errorClass, 'final');
    const silent = createSafeFetch({ allow: parseOutboundAllow(''), lookup: () => new Promise(() => {}) });
    const unconnected = createCall(silent, createRedact([token]));
    const sent = unconnected({ url: 'http://provider.test/', json: {}, timeoutMs: 50 });
    await assert.rejects(sent, (error: ProviderError) => error.errorClass === 'retry');
    await silent.close();
    const refused = await rejection({ url: `http://10.0.0.1/bot${token}/getMe`, json: {} });
    assert.equal(refused.errorClass, 'retry');
    assert.match(refused.message, /^The provider at 10\.0\.0\.1 cannot be reached: /);
    assert.ok(!refused.message.includes(token));
    assert.equal(createRedact([token])(`at /bot${token} and ${encodeURIComponent(token)}`), 'at /bot… and …');
  });
});

it('hides the user of a mailbox, unless a setting shows it', () => {
  const userNames = ['imap.user', 'smtp.user'];
  const settings = { address: 'support@example.com', imap: { host: 'imap.example.com' } };
  const credentials = { 'imap.user': 'support', 'imap.password': 'example', 'smtp.user': 'u-4711' };
  const redact = createRedact(secretsOf({ userNames }, settings, credentials));
  assert.equal(
    redact('Connected to support@shop.org as u-4711, example'),
    'Connected to support@shop.org as …, …',
  );
  assert.deepEqual(secretsOf({}, settings, credentials), ['support', 'example', 'u-4711']);
});
