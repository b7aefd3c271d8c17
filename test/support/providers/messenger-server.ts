/** A fake of Messenger and Instagram over HTTP: Graph, signed deliveries, a store of files. It misbehaves on request. */
import { startReceiver } from '../receivers.ts';
import { type GraphAnswer, graphError, type MetaServer, startMetaServer } from './meta-server.ts';
import { type ProviderCall, readForm, type Upload } from './provider-http.ts';

type Fields = Record<string, unknown>;

export interface MessengerSent {
  mid: string;
  to: string;
  text: string | null;
  metadata: string | null;
  messagingType: string;
  tag: string | null;
  quoted: string | null;
  attachment: { type: string; url: string | null; upload: Upload | null } | null;
}

export interface MessengerServer extends MetaServer {
  pageId: string;
  platform: 'page' | 'instagram';
  /** Which receipts Meta delivers before it answers a send. */
  receiptsBeforeAnswer: ('echo' | 'delivery' | 'read')[];
  /** Names that Graph tells for customers. */
  names: Map<string, string>;
  sent(to?: string): MessengerSent[];
  /** `typing_on`, `mark_seen`, `react`, `unreact`, in order. */
  actions(to: string): { action: string; payload: Fields }[];
  subscribedFields: string[];
  /** The customer's last message is older than the window: only HUMAN_AGENT is taken. */
  closedFor: Set<string>;
  unreachable: Set<string>;
  newMid(): string;
  event(customer: string, fields: Fields, at?: number): Fields;
  echoOf(sent: Pick<MessengerSent, 'to' | 'mid'> & Partial<MessengerSent>): Fields;
  /** One delivery with all events. */
  deliverEvents(events: readonly Fields[]): Promise<number>;
  customerWrites(customer: string, message: string | Fields): Promise<{ mid: string; status: number }>;
  /** The address of a file in Meta's store. */
  addFile(bytes: Buffer, type: string, name: string): string;
  expireFiles(): void;
}

const limits = { page: 2_000, instagram: 1_000 };

export async function startMessengerServer(
  platform: 'page' | 'instagram' = 'page',
): Promise<MessengerServer> {
  const pageId = platform === 'page' ? '104001' : '17841400001';
  const sent: MessengerSent[] = [];
  const actions: { to: string; action: string; payload: Fields }[] = [];
  const files = new Map<string, { bytes: Buffer; type: string }>();
  let count = 0;

  // Files have addresses of their own, which need no token and must get none.
  const store = await startReceiver((message, response) => {
    const file = files.get(message.url ?? '');
    if (message.headers.authorization !== undefined) response.writeHead(400).end('credentials at the store');
    else if (!file) response.writeHead(403).end('URL signature expired');
    else response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
  });

  const meta = await startMetaServer(async (call, path) => {
    const { searchParams } = call.url;
    if (call.method === 'GET' && path === `/${pageId}`) {
      return { status: 200, body: { id: pageId, name: 'Shop' } };
    }
    if (call.method === 'POST' && path === `/${pageId}/subscribed_apps`) {
      server.subscribedFields = (searchParams.get('subscribed_fields') ?? '').split(',');
      return { status: 200, body: { success: true } };
    }
    if (call.method === 'POST' && path === `/${pageId}/messages`) return receive(call);
    const name = call.method === 'GET' ? server.names.get(path.slice(1)) : undefined;
    return name === undefined ? null : { status: 200, body: { id: path.slice(1), name } };
  });

  async function receive(call: ProviderCall): Promise<GraphAnswer> {
    const { body, upload } = await readBody(call);
    const to = String((body.recipient as Fields | undefined)?.id ?? '');
    if (to === '') return graphError(400, 100, 'Param recipient must be non-empty.');
    if (server.unreachable.has(to)) return graphError(400, 551, "This person isn't available right now.");
    if (typeof body.sender_action === 'string') {
      actions.push({ to, action: body.sender_action, payload: (body.payload ?? {}) as Fields });
      return { status: 200, body: { recipient_id: to } };
    }
    const message = (body.message ?? {}) as Fields;
    const text = typeof message.text === 'string' ? message.text : null;
    if (text !== null && text.length > limits[platform]) {
      return graphError(400, 100, 'Length of param message[text] must be less than or equal to the limit');
    }
    const tag = typeof body.tag === 'string' ? body.tag : null;
    const isTagged = body.messaging_type === 'MESSAGE_TAG' && tag === 'HUMAN_AGENT';
    if (server.closedFor.has(to) && !isTagged) {
      return graphError(400, 10, 'This message is sent outside of allowed window.', {
        error_subcode: 2018278,
      });
    }
    const attachment = message.attachment as { type: string; payload?: Fields } | undefined;
    const url = (attachment?.payload?.url as string | undefined) ?? null;
    if (text === null && url === null && !upload) return graphError(400, 100, 'No message was given.');
    const one: MessengerSent = {
      mid: server.newMid(),
      to,
      text,
      metadata: (message.metadata as string | undefined) ?? null,
      messagingType: String(body.messaging_type),
      tag,
      quoted: ((body.reply_to as Fields | undefined)?.mid as string | undefined) ?? null,
      attachment: attachment ? { type: attachment.type, url, upload } : null,
    };
    sent.push(one);
    for (const kind of server.receiptsBeforeAnswer) await server.deliverEvents([receiptOf(kind, one)]);
    return { status: 200, body: { recipient_id: to, message_id: one.mid } };
  }

  const receiptOf = (kind: 'echo' | 'delivery' | 'read', one: MessengerSent): Fields => {
    const watermark = Date.now();
    if (kind === 'echo') return server.echoOf(one);
    if (kind === 'read') return server.event(one.to, { read: { watermark } });
    return server.event(one.to, { delivery: { mids: [one.mid], watermark } });
  };

  const server: MessengerServer = Object.assign(meta, {
    pageId,
    platform,
    receiptsBeforeAnswer: [],
    names: new Map<string, string>(),
    sent: (to?: string) => sent.filter((one) => to === undefined || one.to === to),
    actions: (to: string) => actions.filter((one) => one.to === to),
    subscribedFields: [],
    closedFor: new Set<string>(),
    unreachable: new Set<string>(),
    newMid: () => `m_${String(++count).padStart(8, '0')}-${'x'.repeat(40)}`,
    event: (customer: string, fields: Fields, at = Date.now()): Fields => ({
      sender: { id: customer },
      recipient: { id: pageId },
      timestamp: at,
      ...fields,
    }),
    echoOf: ({ to, mid, text, metadata, attachment }: Parameters<MessengerServer['echoOf']>[0]): Fields => ({
      sender: { id: pageId },
      recipient: { id: to },
      timestamp: Date.now(),
      message: {
        mid,
        is_echo: true,
        app_id: 1517776481860111,
        ...(text != null && { text }),
        ...(metadata != null && { metadata }),
        ...(attachment && {
          attachments: [{ type: attachment.type, payload: { url: `${store.origin}/sent` } }],
        }),
      },
    }),
    deliverEvents: (events: readonly Fields[]) =>
      meta.deliver({ object: platform, entry: [{ id: pageId, time: Date.now(), messaging: events }] }),
    async customerWrites(customer: string, message: string | Fields) {
      const mid = server.newMid();
      const content = typeof message === 'string' ? { text: message } : message;
      const status = await server.deliverEvents([server.event(customer, { message: { mid, ...content } })]);
      return { mid, status };
    },
    addFile(bytes: Buffer, type: string, name: string) {
      const path = `/v/t1/${++count}/${name}`;
      files.set(path, { bytes, type });
      return `${store.origin}${path}`;
    },
    expireFiles: () => files.clear(),
  });
  const closeMeta = meta.close;
  server.close = async () => {
    await Promise.all([closeMeta(), store.close()]);
  };
  return server;
}

/** JSON, or a form with a file whose other fields are JSON. */
async function readBody(call: ProviderCall): Promise<{ body: Fields; upload: Upload | null }> {
  if (!call.headers['content-type']?.startsWith('multipart/')) {
    return { body: JSON.parse(call.body.toString('utf8')) as Fields, upload: null };
  }
  const { fields, files } = await readForm(call);
  const parse = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text) : text);
  const body = Object.fromEntries([...fields].map(([name, text]) => [name, parse(text)]));
  return { body, upload: files.get('filedata') ?? null };
}
