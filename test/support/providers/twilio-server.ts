/** A fake Twilio over HTTP, whose requests are signed by Twilio's own package. It misbehaves on request. */
import twilioWebhooks from 'twilio/lib/webhooks/webhooks.js';
import { startReceiver } from '../receivers.ts';
import {
  answerJson,
  type Failure,
  Failures,
  type ProviderCall,
  reachable,
  readCall,
} from './provider-http.ts';

type Form = Record<string, string>;

export interface TwilioSent {
  sid: string;
  to: string;
  from: string | null;
  messagingServiceSid: string | null;
  body: string;
  mediaUrls: string[];
  statusCallback: string | null;
  status: string;
  createdAt: number;
}

export interface TwilioServer {
  /** The connector's apiBase. */
  url: string;
  accountSid: string;
  authToken: string;
  from: string;
  /** What the administrator enters at Twilio. Set it before a customer writes. */
  inboundUrl: string;
  /** Where the service listens, if that is not where its public address leads. */
  serviceUrl: string | null;
  /** Statuses that are reported before the answer to a send, and so may come first. */
  reportsBeforeAnswer: string[];
  /** Resolves with the status of our answer. Twilio does not try again. */
  customerWrites(
    content: string | { body?: string; media?: { bytes: Buffer; type: string }[]; optOutType?: string },
    options?: { from?: string; omitSender?: boolean },
  ): Promise<{ sid: string; status: number; answer: string }>;
  /** All messages of customers once more, and at once. */
  redeliver(order?: 'as written' | 'reversed'): Promise<number[]>;
  /** A message with another signature; null: without one. */
  deliverWithSignature(signature: string | null): Promise<number>;
  reportStatus(sid: string, status: string, errorCode?: number): Promise<number>;
  /** The customer wrote STOP. */
  optOut(number: string): void;
  expireMedia(): void;
  sent(to?: string): TwilioSent[];
  calls(): ProviderCall[];
  failNext(failure: Failure): void;
  /** Another token is valid from now on. */
  setAuthToken(token: string): void;
  close(): Promise<void>;
}

const rejected = (status: number, code: number, message: string) => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

export async function startTwilioServer(): Promise<TwilioServer> {
  const failures = new Failures();
  const accountSid = 'ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
  let authToken = '0123456789abcdef0123456789abcdef';
  const sent: TwilioSent[] = [];
  const calls: ProviderCall[] = [];
  const media = new Map<string, { bytes: Buffer; type: string }>();
  const optedOut = new Set<string>();
  const delivered: Form[] = [];
  let count = 0;
  const newSid = (prefix: string) => {
    count += 1;
    return prefix + count.toString(16).padStart(32, '0');
  };

  // A store of its own: it must get no credentials.
  const store = await startReceiver((message, response) => {
    const file = media.get((message.url ?? '').slice(1));
    if (message.headers.authorization !== undefined) response.writeHead(400).end('credentials at the store');
    else if (!file) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
  });

  const receiver = await startReceiver(async (message, response) => {
    const call = await readCall(message);
    calls.push(call);
    const account = `/2010-04-01/Accounts/${accountSid}`;
    const { pathname } = call.url;
    const expected = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
    if (call.headers.authorization !== expected) {
      const { status, body } = rejected(401, 20003, 'Authenticate');
      return answerJson(response, status, body);
    }
    const name = `${call.method} ${pathname.replace(account, '')}`;
    const failure = failures.take(name);
    if (failure?.drop === 'before') return void response.destroy();
    if (failure?.status) {
      const { status, body } = rejected(
        failure.status,
        failure.code ?? 20500,
        failure.message ?? 'Failed on request',
      );
      const wait = failure.retryAfter === undefined ? {} : { 'retry-after': String(failure.retryAfter) };
      return answerJson(response, status, body, wait);
    }
    const file = new RegExp(`^${account}/Messages/\\w+/Media/(\\w+)$`).exec(pathname)?.[1];
    if (file !== undefined && media.has(file)) {
      response.writeHead(307, { location: `${store.origin}/${file}` }).end();
      return;
    }
    const { status, body } = await carryOut(name, call);
    if (failure?.drop === 'after') return void response.destroy();
    answerJson(response, status, body);
  });

  async function carryOut(name: string, call: ProviderCall): Promise<{ status: number; body: unknown }> {
    if (name === 'GET .json') {
      return {
        status: 200,
        body: { sid: accountSid, friendly_name: 'Shop', status: 'active', type: 'Full' },
      };
    }
    if (name === 'POST /Messages.json') return create(new URLSearchParams(call.body.toString('utf8')));
    if (name === 'GET /Messages.json') {
      const to = call.url.searchParams.get('To');
      const size = Number(call.url.searchParams.get('PageSize') ?? 50);
      const found = sent.filter((one) => to === null || one.to === to).toReversed();
      return { status: 200, body: { messages: found.slice(0, size).map(asJson), next_page_uri: null } };
    }
    return rejected(404, 20404, `The requested resource ${call.url.pathname} was not found`);
  }

  async function create(form: URLSearchParams) {
    const to = form.get('To') ?? '';
    const body = form.get('Body') ?? '';
    const mediaUrls = form.getAll('MediaUrl');
    if (!/^\+\d{7,15}$/.test(to))
      return rejected(400, 21211, `The 'To' number ${to} is not a valid phone number.`);
    if (optedOut.has(to)) return rejected(400, 21610, 'Attempt to send to unsubscribed recipient');
    if (!form.has('From') && !form.has('MessagingServiceSid'))
      return rejected(400, 21603, "A 'From' is required.");
    if (body.length > 1_600)
      return rejected(400, 21617, 'The concatenated message body exceeds the 1600 character limit.');
    if (body === '' && mediaUrls.length === 0) return rejected(400, 21602, 'Message body is required.');
    const one: TwilioSent = {
      sid: newSid(mediaUrls.length > 0 ? 'MM' : 'SM'),
      to,
      from: form.get('From'),
      messagingServiceSid: form.get('MessagingServiceSid'),
      body,
      mediaUrls,
      statusCallback: form.get('StatusCallback'),
      status: 'queued',
      createdAt: Date.now(),
    };
    sent.push(one);
    for (const status of server.reportsBeforeAnswer) await reportStatus(one.sid, status);
    return { status: 201, body: { ...asJson(one), status: 'queued' } };
  }

  const asJson = (one: TwilioSent) => ({
    sid: one.sid,
    to: one.to,
    from: one.from,
    messaging_service_sid: one.messagingServiceSid,
    body: one.body,
    num_media: String(one.mediaUrls.length),
    status: one.status,
    direction: 'outbound-api',
    date_created: new Date(one.createdAt).toUTCString().replace('GMT', '+0000'),
    date_sent: null,
    error_code: null,
  });

  async function post(url: string, form: Form, signature?: string | null) {
    const signed =
      signature === undefined ? twilioWebhooks.getExpectedTwilioSignature(authToken, url, form) : signature;
    const answer = await fetch(reachable(url, server.serviceUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(signed === null ? {} : { 'x-twilio-signature': signed }),
      },
      body: new URLSearchParams(form),
    });
    return { status: answer.status, answer: await answer.text() };
  }

  async function reportStatus(sid: string, status: string, errorCode?: number): Promise<number> {
    const one = sent.find((each) => each.sid === sid)!;
    one.status = status;
    if (one.statusCallback === null) throw new Error('the message has no StatusCallback');
    const form: Form = {
      AccountSid: accountSid,
      MessageSid: sid,
      SmsSid: sid,
      MessageStatus: status,
      SmsStatus: status,
      To: one.to,
      From: one.from ?? server.from,
      ApiVersion: '2010-04-01',
    };
    if (errorCode !== undefined) form.ErrorCode = String(errorCode);
    return (await post(one.statusCallback, form)).status;
  }

  const server: TwilioServer = {
    url: receiver.origin,
    accountSid,
    get authToken() {
      return authToken;
    },
    from: '+15550001111',
    inboundUrl: '',
    serviceUrl: null,
    reportsBeforeAnswer: [],
    async customerWrites(content, { from = '+5511987654321', omitSender = false } = {}) {
      const {
        body = '',
        media: files = [],
        optOutType,
      } = typeof content === 'string' ? { body: content } : content;
      const sid = newSid(files.length > 0 ? 'MM' : 'SM');
      const form: Form = {
        ToCountry: 'US',
        SmsMessageSid: sid,
        NumMedia: String(files.length),
        SmsSid: sid,
        SmsStatus: 'received',
        Body: body,
        To: server.from,
        NumSegments: '1',
        MessageSid: sid,
        AccountSid: accountSid,
        ApiVersion: '2010-04-01',
      };
      if (!omitSender) form.From = from;
      if (optOutType) form.OptOutType = optOutType;
      for (const [index, file] of files.entries()) {
        const id = newSid('ME');
        media.set(id, file);
        form[`MediaUrl${index}`] =
          `${receiver.origin}/2010-04-01/Accounts/${accountSid}/Messages/${sid}/Media/${id}`;
        form[`MediaContentType${index}`] = file.type;
      }
      delivered.push(form);
      return { sid, ...(await post(server.inboundUrl, form)) };
    },
    async redeliver(order = 'as written') {
      const forms = order === 'reversed' ? delivered.toReversed() : delivered;
      return Promise.all(forms.map(async (form) => (await post(server.inboundUrl, form)).status));
    },
    deliverWithSignature: async (signature) =>
      (
        await post(
          server.inboundUrl,
          { MessageSid: newSid('SM'), From: '+5511900000000', Body: 'Forged' },
          signature,
        )
      ).status,
    reportStatus,
    optOut: (number) => void optedOut.add(number),
    expireMedia: () => media.clear(),
    sent: (to) => sent.filter((one) => to === undefined || one.to === to),
    calls: () => calls,
    failNext: (failure) => failures.add(failure),
    setAuthToken(token) {
      authToken = token;
    },
    async close() {
      await Promise.all([receiver.close(), store.close()]);
    },
  };
  return server;
}
