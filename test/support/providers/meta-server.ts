/** What the fakes of Meta's products share: Graph over HTTP, the handshake, signed deliveries. */
import { createHmac } from 'node:crypto';
import { startReceiver } from '../receivers.ts';
import { answerJson, type Failure, Failures, type ProviderCall, readCall } from './provider-http.ts';

export interface GraphAnswer {
  status: number;
  body: unknown;
}

/** As Graph answers what it rejects. */
export const graphError = (
  status: number,
  code: number,
  message: string,
  more: Record<string, unknown> = {},
): GraphAnswer => ({
  status,
  body: {
    error: { message: `(#${code}) ${message}`, type: 'OAuthException', code, fbtrace_id: 'A1b2C3', ...more },
  },
});

/** `path` is without the version. Null: there is nothing at this path. */
export type GraphHandler = (call: ProviderCall, path: string) => Promise<GraphAnswer | Buffer | null>;

export interface MetaServer {
  /** The connector's apiBase. */
  url: string;
  accessToken: string;
  appSecret: string;
  verifyToken: string;
  graphVersion: string;
  /** What the administrator enters in Meta's console. */
  inboundUrl: string;
  calls(): ProviderCall[];
  failNext(failure: Failure): void;
  setAccessToken(token: string): void;
  /** As Meta does when the address is entered. */
  handshake(own?: { token?: string; mode?: string }): Promise<{ status: number; body: string; type: string }>;
  /** Signed, unless another signature is given; null: without one. Returns the status of our answer. */
  deliver(body: unknown, signature?: string | null): Promise<number>;
  /** All deliveries once more, and at once. */
  redeliver(order?: 'as sent' | 'reversed'): Promise<number[]>;
  close(): Promise<void>;
}

export const signMeta = (appSecret: string, body: string | Buffer) =>
  `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;

/** As Meta does: characters outside ASCII are escaped, and so are slashes. */
const asMetaJson = (body: unknown) =>
  JSON.stringify(body)
    .replaceAll('/', '\\/')
    .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const challenge = '1158201444';

/** `nameOf`: what failures know a call by. */
export async function startMetaServer(
  handle: GraphHandler,
  nameOf = ({ method }: ProviderCall, path: string) => `${method} ${path}`,
): Promise<MetaServer> {
  const failures = new Failures();
  const calls: ProviderCall[] = [];
  const delivered: string[] = [];

  const receiver = await startReceiver(async (message, response) => {
    const call = await readCall(message);
    calls.push(call);
    if (call.headers.authorization !== `Bearer ${server.accessToken}`) {
      const { status, body } = graphError(401, 190, 'Error validating access token');
      return answerJson(response, status, body);
    }
    const { pathname } = call.url;
    const prefix = `/${server.graphVersion}`;
    const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
    const failure = failures.take(nameOf(call, path));
    if (failure?.drop === 'before') return void response.destroy();
    if (failure?.status) {
      const { code = 2, message: said = 'Failed on request', retryAfter } = failure;
      const { body } = graphError(failure.status, code, said);
      const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      return answerJson(response, failure.status, body, wait);
    }
    const answer = (await handle(call, path)) ?? graphError(404, 2500, `Unknown path components: ${path}`);
    if (failure?.drop === 'after') return void response.destroy();
    if (Buffer.isBuffer(answer)) response.writeHead(200).end(answer);
    else answerJson(response, answer.status, answer.body);
  });

  const post = async (text: string, signature?: string | null) => {
    const signed = signature === undefined ? signMeta(server.appSecret, text) : signature;
    const answer = await fetch(server.inboundUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(signed === null ? {} : { 'x-hub-signature-256': signed }),
      },
      body: text,
    });
    await answer.text();
    return answer.status;
  };

  const server: MetaServer = {
    url: receiver.origin,
    accessToken: 'EAAtest-token-of-a-system-user',
    appSecret: '0123456789abcdef0123456789abcdef',
    verifyToken: 'a token of our own & more',
    graphVersion: 'v25.0',
    inboundUrl: '',
    calls: () => calls,
    failNext: (failure) => failures.add(failure),
    setAccessToken(token) {
      server.accessToken = token;
    },
    async handshake({ token = server.verifyToken, mode = 'subscribe' } = {}) {
      const query = new URLSearchParams({
        'hub.mode': mode,
        'hub.verify_token': token,
        'hub.challenge': challenge,
      });
      const answer = await fetch(`${server.inboundUrl}?${query}`);
      const type = answer.headers.get('content-type') ?? '';
      return { status: answer.status, body: await answer.text(), type };
    },
    async deliver(body, signature) {
      const text = asMetaJson(body);
      if (signature === undefined) delivered.push(text);
      return post(text, signature);
    },
    async redeliver(order = 'as sent') {
      const texts = order === 'reversed' ? delivered.toReversed() : delivered;
      return Promise.all(texts.map((text) => post(text)));
    },
    close: () => receiver.close(),
  };
  return server;
}
