/** A gateway with Evolution API's protocol. It keeps what it was sent, calls webhooks, and misbehaves on request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startReceiver } from '../receivers.ts';
import { type MessageOptions, newMessageId, upsert } from './evolution-messages.ts';

export interface GatewayRequest {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

/** A message that the service sent. */
export interface SentMessage {
  id: string;
  call: 'sendText' | 'sendMedia' | 'sendWhatsAppAudio';
  number: string;
  text: string;
  bytes: Buffer | null;
  body: Record<string, unknown>;
}

/** What happens to the next call that `on` names, or to the next one of all. */
export interface Misbehaviour {
  on?: string;
  /** `lose`: it is carried out, and the connection ends without an answer. */
  answer: { status: number; body?: unknown; headers?: Record<string, string> } | 'lose';
}

interface Webhook {
  enabled: boolean;
  url: string;
  base64: boolean;
  headers: Record<string, string>;
  events: string[];
}

export interface Instance {
  name: string;
  state: 'open' | 'connecting' | 'close';
  /** The key that the bodies of its webhooks carry. */
  token: string;
  webhook: Webhook | null;
  codes: number;
}

export interface EvolutionServer {
  url: string;
  apiKey: string;
  requests: GatewayRequest[];
  sent: SentMessage[];
  reactions: { key: Record<string, unknown>; reaction: string }[];
  /** Numbers that were shown that we type. */
  typing: string[];
  read: { id: string; remoteJid: string; fromMe: boolean }[];
  instances: Map<string, Instance>;
  /** Files that getBase64FromMediaMessage returns, by message id. */
  files: Map<string, { bytes: Buffer; mimetype: string; fileName: string }>;
  /** Numbers without an account. */
  unknownNumbers: Set<string>;
  /** In order; each is used once. */
  misbehaviours: Misbehaviour[];
  /** The copy of each send, as messages.upsert with `fromMe`. */
  copies: 'none' | 'before the answer' | 'after the answer';
  /** Reported for each send. */
  receipts: string[];
  receiptsFirst: boolean;
  /** Called for each message that was sent. */
  onSent: (message: SentMessage) => void;
  /** Where webhooks go, instead of the origin that the service announced. */
  serviceUrl: string | null;
  /** An instance with a linked phone, made by somebody else. */
  addInstance(name: string, state?: Instance['state']): Instance;
  /** A new QR code, and its webhook. */
  changeCode(name: string): Promise<string>;
  link(name: string): Promise<number>;
  unlink(name: string): Promise<number>;
  /** Calls the webhook; returns the status of the answer. */
  deliver(name: string, event: string, data: unknown, headers?: Record<string, string>): Promise<number>;
  /** A message of a customer, or of the phone; returns its id. */
  say(name: string, content: string | Record<string, unknown>, options?: MessageOptions): Promise<string>;
  /** Resolves when the webhooks that followed the sends were answered. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export const codePicture = (count: number) =>
  `data:image/png;base64,${Buffer.from(`code ${count}`).toString('base64')}`;

const qrcodeOf = (instance: Instance) => ({
  pairingCode: null,
  code: `2@${instance.codes}`,
  base64: codePicture(instance.codes),
  count: instance.codes,
});

async function readJson(message: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text ? JSON.parse(text) : {};
}

/** An answer that a handler gives by throwing. */
class Rejection {
  readonly status: number;
  readonly message: unknown;

  constructor(status: number, message: unknown) {
    this.status = status;
    this.message = message;
  }
}

const errorNames: Record<number, string> = { 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden' };

type Handler = (instance: Instance, body: Record<string, unknown>) => unknown;

export async function startEvolutionServer(apiKey = 'gateway-key-of-the-tests'): Promise<EvolutionServer> {
  const running = new Set<Promise<unknown>>();
  const inBackground = (work: Promise<unknown>) => {
    const ended = work.catch(() => {}).finally(() => running.delete(ended));
    running.add(ended);
  };

  const receiver = await startReceiver(async (message, response) => {
    try {
      await handle(message, response);
    } catch (error) {
      const { status, message: said } =
        error instanceof Rejection ? error : new Rejection(500, String(error));
      const name = errorNames[status] ?? 'Internal Server Error';
      respond(response, status, { status, error: name, response: { message: said } });
    }
  });

  function respond(response: ServerResponse, status: number, body: unknown, headers = {}) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  async function handle(message: IncomingMessage, response: ServerResponse) {
    const method = message.method ?? '';
    const path = message.url ?? '';
    const body = await readJson(message);
    server.requests.push({ method, path, body });
    const at = server.misbehaviours.findIndex(({ on }) => !on || path.includes(on));
    const [misbehaviour] = at < 0 ? [] : server.misbehaviours.splice(at, 1);
    if (misbehaviour && misbehaviour.answer !== 'lose') {
      const { status, body: said, headers } = misbehaviour.answer;
      respond(response, status, said ?? { status, error: 'Error', response: { message: ['no'] } }, headers);
      return;
    }
    if (message.headers.apikey !== apiKey) throw new Rejection(401, 'Unauthorized');
    const result = await carryOut(method, path, body);
    if (misbehaviour) message.socket.destroy();
    else respond(response, method === 'POST' ? 201 : 200, result);
  }

  async function carryOut(method: string, path: string, body: Record<string, unknown>): Promise<unknown> {
    if (`${method} ${path}` === 'POST /instance/create') return create(body);
    const [, group, call, name] = path.split('/');
    const handler = handlers[`${method} /${group}/${call}`];
    if (!handler) throw new Rejection(404, [`Cannot ${method} ${path}`]);
    const instance = server.instances.get(decodeURIComponent(name ?? ''));
    if (!instance) throw new Rejection(404, [`The "${name}" instance does not exist`]);
    return handler(instance, body);
  }

  function create(body: Record<string, unknown>) {
    const name = String(body.instanceName);
    if (server.instances.has(name)) throw new Rejection(403, [`This name "${name}" is already in use.`]);
    const instance = addInstance(name, 'connecting');
    instance.webhook = (body.webhook as Webhook | undefined) ?? null;
    instance.codes = 1;
    return {
      instance: { instanceName: name, integration: body.integration, status: 'connecting' },
      hash: instance.token,
      webhook: {},
      qrcode: qrcodeOf(instance),
    };
  }

  function addInstance(name: string, state: Instance['state'] = 'open'): Instance {
    const instance: Instance = { name, state, token: `token-of-${name}`, webhook: null, codes: 0 };
    server.instances.set(name, instance);
    return instance;
  }

  const handlers: Record<string, Handler> = {
    'GET /instance/connectionState': ({ name, state }) => ({ instance: { instanceName: name, state } }),
    'GET /instance/connect': (instance) => {
      if (instance.state === 'open') return { instance: { instanceName: instance.name, state: 'open' } };
      instance.state = 'connecting';
      instance.codes = Math.max(1, instance.codes);
      return qrcodeOf(instance);
    },
    'POST /webhook/set': (instance, { webhook }) => {
      instance.webhook = webhook as Webhook;
      return { ...(webhook as Webhook) };
    },
    'POST /message/sendText': (instance, body) => send(instance, 'sendText', body, String(body.text), null),
    'POST /message/sendMedia': (instance, body) =>
      send(instance, 'sendMedia', body, String(body.caption ?? ''), String(body.media)),
    'POST /message/sendWhatsAppAudio': (instance, body) =>
      send(instance, 'sendWhatsAppAudio', body, '', String(body.audio)),
    'POST /message/sendReaction': (instance, body) => {
      requireLinked(instance);
      const { key, reaction } = body as unknown as EvolutionServer['reactions'][number];
      server.reactions.push({ key, reaction });
      return { key: { id: newMessageId(), fromMe: true }, status: 'PENDING' };
    },
    'POST /chat/sendPresence': (instance, body) => {
      requireLinked(instance);
      server.typing.push(String(body.number));
      return { presence: body.presence };
    },
    'POST /chat/markMessageAsRead': (instance, body) => {
      requireLinked(instance);
      server.read.push(...(body.readMessages as EvolutionServer['read']));
      return { message: 'Read messages', read: 'success' };
    },
    'POST /chat/getBase64FromMediaMessage': (_instance, body) => {
      const { key } = body.message as { key: { id: string } };
      const file = server.files.get(key.id);
      if (!file) throw new Rejection(400, ['Message not found']);
      return {
        mediaType: 'file',
        fileName: file.fileName,
        mimetype: file.mimetype,
        base64: encode(file.bytes),
      };
    },
  };

  const encode = (bytes: Buffer) => bytes.toString('base64');

  function requireLinked(instance: Instance) {
    if (instance.state !== 'open') throw new Rejection(500, ['Error: Connection Closed']);
  }

  async function send(
    instance: Instance,
    call: SentMessage['call'],
    body: Record<string, unknown>,
    text: string,
    media: string | null,
  ) {
    requireLinked(instance);
    const number = String(body.number);
    if (server.unknownNumbers.has(number)) {
      throw new Rejection(400, [{ jid: `${number}@s.whatsapp.net`, exists: false, number }]);
    }
    if (media?.startsWith('data:')) throw new Rejection(400, ['Owned media must be a url or base64']);
    const bytes = media === null ? null : Buffer.from(media, 'base64');
    const message: SentMessage = { id: newMessageId(), call, number, text, bytes, body };
    server.sent.push(message);
    server.onSent(message);
    const remoteJid = number.includes('@') ? number : `${number}@s.whatsapp.net`;
    const copy = () => {
      const content = copyOf(message);
      const data = upsert(content, { id: message.id, from: remoteJid, fromMe: true });
      return server.deliver(instance.name, 'messages.upsert', data);
    };
    const receipts = async () => {
      for (const status of server.receipts) {
        const data = { keyId: message.id, remoteJid, fromMe: true, status };
        await server.deliver(instance.name, 'messages.update', data);
      }
    };
    if (server.copies === 'before the answer') await copy();
    if (server.receiptsFirst) await receipts();
    if (server.copies === 'after the answer') inBackground(copy());
    if (!server.receiptsFirst) inBackground(receipts());
    const key = { remoteJid, fromMe: true, id: message.id };
    return { key, status: 'PENDING', messageTimestamp: Math.floor(Date.now() / 1000) };
  }

  function copyOf({ call, text, body }: SentMessage): Record<string, unknown> {
    if (call === 'sendText') return { conversation: text };
    if (call === 'sendWhatsAppAudio') return { audioMessage: { mimetype: 'audio/ogg', ptt: true } };
    const { mimetype, fileName, mediatype } = body;
    return { [`${mediatype}Message`]: { mimetype, fileName, ...(text && { caption: text }) } };
  }

  const requireInstance = (name: string) => {
    const instance = server.instances.get(name);
    if (!instance) throw new Error(`no instance ${name}`);
    return instance;
  };

  const server: EvolutionServer = {
    url: receiver.origin,
    apiKey,
    requests: [],
    sent: [],
    reactions: [],
    typing: [],
    read: [],
    instances: new Map(),
    files: new Map(),
    unknownNumbers: new Set(),
    misbehaviours: [],
    copies: 'none',
    receipts: [],
    receiptsFirst: false,
    onSent: () => {},
    serviceUrl: null,
    addInstance,
    async changeCode(name) {
      const instance = requireInstance(name);
      instance.codes += 1;
      await server.deliver(name, 'qrcode.updated', { qrcode: { instance: name, ...qrcodeOf(instance) } });
      return codePicture(instance.codes);
    },
    link(name) {
      requireInstance(name).state = 'open';
      return server.deliver(name, 'connection.update', { instance: name, state: 'open', statusReason: 200 });
    },
    unlink(name) {
      requireInstance(name).state = 'close';
      return server.deliver(name, 'connection.update', { instance: name, state: 'close', statusReason: 401 });
    },
    async deliver(name, event, data, headers = {}) {
      const { webhook, token } = requireInstance(name);
      if (!webhook?.enabled) throw new Error(`instance ${name} has no webhook`);
      const url = server.serviceUrl
        ? new URL(new URL(webhook.url).pathname, server.serviceUrl).href
        : webhook.url;
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...webhook.headers, ...headers },
        body: JSON.stringify({
          event,
          instance: name,
          data,
          destination: webhook.url,
          date_time: new Date().toISOString(),
          sender: '5511900000000@s.whatsapp.net',
          server_url: receiver.origin,
          apikey: token,
        }),
      });
      await response.arrayBuffer();
      return response.status;
    },
    async say(name, content, options = {}) {
      const data = upsert(typeof content === 'string' ? { conversation: content } : content, options);
      const status = await server.deliver(name, 'messages.upsert', data);
      if (status !== 200) throw new Error(`the webhook was answered with ${status}`);
      return data.key.id;
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
    close: () => receiver.close(),
  };
  return server;
}
