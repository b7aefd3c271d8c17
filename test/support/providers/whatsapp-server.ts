/** A fake WhatsApp Cloud API. It keeps what it was sent, delivers signed webhooks, and misbehaves on request. */
import { createHash } from 'node:crypto';
import type { Json } from '../service.ts';
import { type GraphAnswer, graphError, type MetaServer, startMetaServer } from './meta-server.ts';
import { type ProviderCall, readForm, type Upload } from './provider-http.ts';
import {
  changeOf,
  deliveryOf,
  messageOf,
  metadata,
  numberIds,
  type Sender,
  statusOf,
  valueWith,
} from './whatsapp-messages.ts';

type Values = Json;

export interface WhatsappSent {
  id: string;
  /** A phone number or a user id. */
  to: string;
  isUserId: boolean;
  type: string;
  text: string;
  ourId: string;
  upload: Upload | null;
  body: Values;
}

export interface WhatsappServer extends MetaServer {
  sent(to?: string): WhatsappSent[];
  reactions: Values[];
  /** Ids of messages that were marked as read, and those with a typing indicator. */
  read: string[];
  typing: string[];
  subscriptions: number;
  /** The token may not manage the business account. */
  refusesSubscription: boolean;
  templates: Values[];
  /** Numbers without WhatsApp. */
  unknownNumbers: Set<string>;
  /** Reported before the answer to a send. */
  statusesBeforeAnswer: string[];
  /** Sends are answered and never delivered: a user id as `to`. */
  deliveredToNobody: string[];
  addMedia(bytes: Buffer, type: string): string;
  expireMedia(): void;
  customerWrites(
    content: string | Values,
    options?: Sender & { own?: Values; phoneNumberId?: string },
  ): Promise<{ id: string; status: number }>;
  reportStatus(sent: WhatsappSent, status: string, own?: Values): Promise<number>;
}

const pageSize = 2;

/** As Meta counts: by component, and by button. */
function hasItsParameters({ components }: Values, sent: Values): boolean {
  const distinct = (text = '') => new Set(text.match(/\{\{[^}]*\}\}/g)).size;
  const given = (type: string, index?: string): number =>
    sent.components.find((one: Values) => one.type === type && one.index === index)?.parameters.length ?? 0;
  return components.every((one: Values) => {
    const type = one.type.toLowerCase();
    if (type === 'header' || type === 'body') return distinct(one.text) === given(type);
    return (one.buttons ?? []).every(
      ({ type: kind, url }: Values, index: number) =>
        (kind === 'COPY_CODE' ? 1 : distinct(url)) === given('button', String(index)),
    );
  });
}

/** Marks go out at any time: a failure is for messages. */
const nameOf = ({ method, body }: ProviderCall, path: string) =>
  `${method} ${path}${body.includes('"status":"read"') ? '#mark' : ''}`;

export async function startWhatsappServer(): Promise<WhatsappServer> {
  const sent: WhatsappSent[] = [];
  const media = new Map<string, { bytes: Buffer; type: string }>();
  const uploads = new Map<string, Upload>();
  const { phoneNumberId, businessAccountId } = numberIds;
  let count = 0;
  const newId = () => String(900_000_000 + ++count);

  const meta = await startMetaServer(async (call, path) => {
    const name = `${call.method} ${path}`;
    switch (name) {
      case `GET /${phoneNumberId}`:
        return ok({
          verified_name: 'Shop',
          display_phone_number: '+1 555-078-3881',
          quality_rating: 'GREEN',
          id: phoneNumberId,
        });
      case `GET /${businessAccountId}`:
        return ok({ id: businessAccountId, name: 'Shop Ltd' });
      case `POST /${businessAccountId}/subscribed_apps`:
        if (server.refusesSubscription) return graphError(403, 200, 'You do not have permission');
        server.subscriptions += 1;
        return ok({ success: true });
      case `GET /${businessAccountId}/message_templates`:
        return templatePage(call);
      case `POST /${phoneNumberId}/messages`:
        return receive(JSON.parse(call.body.toString('utf8')));
      case `POST /${phoneNumberId}/media`:
        return keepUpload(call);
    }
    const bytes = /^\/bytes\/(\d+)$/.exec(path)?.[1];
    if (bytes !== undefined) return media.get(bytes)?.bytes ?? graphError(404, 100, 'Not found');
    return call.method === 'GET' ? describeMedia(path.slice(1)) : null;
  }, nameOf);

  const ok = (body: unknown): GraphAnswer => ({ status: 200, body });

  function templatePage({ url }: ProviderCall): GraphAnswer {
    const start = Number(url.searchParams.get('after') ?? 0);
    const next = start + pageSize < server.templates.length ? { next: `${meta.url}/next` } : {};
    const paging = { cursors: { before: String(start), after: String(start + pageSize) }, ...next };
    return ok({ data: server.templates.slice(start, start + pageSize), paging });
  }

  function describeMedia(id: string): GraphAnswer {
    const file = media.get(id);
    if (!file) {
      return graphError(400, 100, `Object with ID '${id}' does not exist`, { error_subcode: 33 });
    }
    return ok({
      messaging_product: 'whatsapp',
      url: `${meta.url}/bytes/${id}`,
      mime_type: file.type,
      sha256: createHash('sha256').update(file.bytes).digest('hex'),
      file_size: file.bytes.length,
      id,
    });
  }

  async function keepUpload(call: ProviderCall): Promise<GraphAnswer> {
    const { fields, files } = await readForm(call);
    const file = files.get('file');
    if (fields.get('messaging_product') !== 'whatsapp' || !fields.get('type') || !file) {
      return graphError(400, 100, 'Invalid parameter');
    }
    const id = newId();
    uploads.set(id, file);
    return ok({ id });
  }

  async function receive(body: Values): Promise<GraphAnswer> {
    if (body.messaging_product !== 'whatsapp') return graphError(400, 100, 'messaging_product is required');
    if (body.status === 'read') {
      server.read.push(body.message_id);
      if (body.typing_indicator) server.typing.push(body.message_id);
      return ok({ success: true });
    }
    const problem = problemOf(body);
    if (problem) return problem;
    const content = body[body.type] as Values;
    const to = String(body.to ?? body.recipient);
    if (body.type === 'reaction') {
      server.reactions.push({ to, ...content });
      return ok(accepted(to, `wamid.reaction${newId()}`));
    }
    const one: WhatsappSent = {
      id: `wamid.OUT${newId()}`,
      to,
      isUserId: body.recipient !== undefined,
      type: body.type,
      text: content.body ?? content.caption ?? '',
      ourId: body.biz_opaque_callback_data,
      upload: uploads.get(content.id) ?? null,
      body,
    };
    if (body.to !== undefined && /^[A-Z]{2}\./.test(to)) server.deliveredToNobody.push(to);
    else sent.push(one);
    for (const status of server.statusesBeforeAnswer) await server.reportStatus(one, status);
    return ok(accepted(to, one.id));
  }

  const accepted = (to: string, id: string) => ({
    messaging_product: 'whatsapp',
    contacts: [{ input: to, wa_id: to }],
    messages: [{ id, message_status: 'accepted' }],
  });

  function problemOf(body: Values): GraphAnswer | null {
    const content = body[body.type] as Values | undefined;
    const invalid = (details: string) =>
      graphError(400, 100, 'Invalid parameter', { error_data: { messaging_product: 'whatsapp', details } });
    if (!content) return invalid(`${body.type} is required`);
    if ((body.to === undefined) === (body.recipient === undefined)) return invalid('to or recipient');
    if (server.unknownNumbers.has(body.to)) return graphError(400, 131026, 'Message undeliverable');
    if (content.body === '' || content.body?.length > 4096) return invalid('Length of text.body');
    if (content.caption?.length > 1024) return invalid('Length of caption');
    const isFile = ['image', 'video', 'audio', 'document'].includes(body.type);
    if (isFile && !uploads.has(content.id)) return graphError(400, 131053, 'Media upload error');
    if (body.type === 'audio' && 'caption' in content) return invalid('Unexpected key caption');
    if (body.type === 'template') {
      const known = server.templates.find(
        ({ name, language }) => name === content.name && language === content.language.code,
      );
      if (!known) return graphError(404, 132001, 'Template name does not exist in the translation');
      if (!hasItsParameters(known, content)) return graphError(400, 132000, 'Number of parameters');
    }
    return null;
  }

  const server: WhatsappServer = Object.assign(meta, {
    sent: (to?: string) => sent.filter((one) => to === undefined || one.to === to),
    reactions: [],
    read: [],
    typing: [],
    subscriptions: 0,
    refusesSubscription: false,
    templates: [],
    unknownNumbers: new Set<string>(),
    statusesBeforeAnswer: [],
    deliveredToNobody: [],
    addMedia(bytes: Buffer, type: string) {
      const id = newId();
      media.set(id, { bytes, type });
      return id;
    },
    expireMedia: () => media.clear(),
    async customerWrites(
      content: string | Values,
      { own, phoneNumberId: number, ...sender }: Sender & { own?: Values; phoneNumberId?: string } = {},
    ) {
      const message = messageOf(content, own);
      const status = await meta.deliver(deliveryOf(changeOf(valueWith([message], sender, number))));
      return { id: String(message.id), status };
    },
    reportStatus(one: WhatsappSent, status: string, own: Values = {}) {
      const recipient = one.isUserId ? { recipient_user_id: one.to } : { recipient_id: one.to };
      const { recipient_id: _, ...base } = statusOf(one.id, status);
      const told = { ...base, ...recipient, biz_opaque_callback_data: one.ourId, ...own };
      return meta.deliver(deliveryOf(changeOf({ ...metadata(), statuses: [told] })));
    },
  });
  return server;
}
