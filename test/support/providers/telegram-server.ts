/** A fake Bot API over HTTP. It checks what the real one checks, and misbehaves on request. */
import { startReceiver } from '../receivers.ts';
import {
  answerJson,
  type Failure,
  Failures,
  type ProviderCall,
  readCall,
  readForm,
  type Upload,
} from './provider-http.ts';
import { createUpdates, type Json, type TelegramUpdates } from './telegram-updates.ts';

export interface TelegramSent {
  method: string;
  chatId: number;
  messageId: number;
  providerMsgId: string;
  /** The text, or the caption. */
  text: string;
  parseMode: string | null;
  replyTo: number | null;
  file: (Upload & { field: string }) | null;
}

export interface TelegramServer
  extends Pick<
    TelegramUpdates,
    | 'customerWrites'
    | 'customerEdits'
    | 'customerReacts'
    | 'customerBlocks'
    | 'customerUnblocks'
    | 'hold'
    | 'release'
    | 'redeliver'
    | 'deliverWithSecret'
    | 'settled'
    | 'serviceUrl'
  > {
  /** The connector's apiBase. */
  url: string;
  token: string;
  /** A file that a customer can send: put its id into the message. */
  addFile(bytes: Buffer, path?: string): string;
  /** Files are listed by getFile no longer. */
  expireFiles(): void;
  /** Sent messages, oldest first. */
  sent(chatId?: number): TelegramSent[];
  /** Every call with its parameters, also the rejected ones. */
  calls(method?: string): { method: string; params: Json }[];
  failNext(failure: Failure): void;
  /** Another token is valid from now on. */
  setToken(token: string): void;
  close(): Promise<void>;
}

interface Reply {
  status: number;
  body: Json;
}
const good = (result: unknown): Reply => ({ status: 200, body: { ok: true, result } });
const bad = (status: number, description: string, parameters?: Json): Reply => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) },
});

const fileFields: Record<string, string> = {
  sendPhoto: 'photo',
  sendVoice: 'voice',
  sendAudio: 'audio',
  sendVideo: 'video',
  sendDocument: 'document',
};
const megabyte = 1024 * 1024;

export async function startTelegramServer(): Promise<TelegramServer> {
  const failures = new Failures();
  const updates = createUpdates();
  const files = new Map<string, { path: string; bytes: Buffer }>();
  const sent: TelegramSent[] = [];
  const calls: { method: string; params: Json }[] = [];
  let token = '8200000001:AAFakeTokenForTests_0123456789abcdef';

  async function readParams(call: ProviderCall): Promise<{ params: Json; uploads: Map<string, Upload> }> {
    if (!(call.headers['content-type'] ?? '').startsWith('multipart/')) {
      const text = call.body.toString('utf8');
      return { params: text === '' ? {} : (JSON.parse(text) as Json), uploads: new Map() };
    }
    const { fields, files: uploads } = await readForm(call);
    const params: Json = Object.fromEntries(fields);
    if (typeof params.reply_parameters === 'string')
      params.reply_parameters = JSON.parse(params.reply_parameters);
    return { params, uploads };
  }

  function send(method: string, params: Json, uploads: Map<string, Upload>): Reply {
    const chatId = Number(params.chat_id);
    const chat = updates.chats.get(chatId);
    if (!chat) return bad(400, 'Bad Request: chat not found');
    if (chat.isBlocked) return bad(403, 'Forbidden: bot was blocked by the user');
    const field = fileFields[method];
    const text = String((field ? params.caption : params.text) ?? '');
    const wrong = checkText(text, params.parse_mode === 'HTML', field ? 1_024 : 4_096);
    if (wrong) return bad(400, `Bad Request: ${wrong}`);
    if (!field && text === '') return bad(400, 'Bad Request: message text is empty');
    const upload = field ? uploads.get(field) : undefined;
    if (field && !upload) return bad(400, `Bad Request: there is no ${field} in the request`);
    if (upload && upload.bytes.length > (field === 'photo' ? 10 : 50) * megabyte) {
      return bad(413, 'Request Entity Too Large');
    }
    const replyTo = (params.reply_parameters as { message_id?: number } | undefined)?.message_id ?? null;
    if (replyTo !== null && !chat.messages.has(replyTo)) {
      return bad(400, 'Bad Request: message to be replied not found');
    }
    const messageId = updates.nextMessageId(chatId);
    sent.push({
      method,
      chatId,
      messageId,
      providerMsgId: `${chatId}:${messageId}`,
      text,
      parseMode: (params.parse_mode as string | undefined) ?? null,
      replyTo,
      file: upload && field ? { ...upload, field } : null,
    });
    return good({
      message_id: messageId,
      date: Math.floor(Date.now() / 1000),
      chat: { id: chatId, type: 'private' },
    });
  }

  async function carryOut(method: string, params: Json, uploads: Map<string, Upload>): Promise<Reply> {
    if (method === 'getMe') {
      return good({
        id: Number(token.split(':')[0]),
        is_bot: true,
        first_name: 'Shop',
        username: 'shop_bot',
      });
    }
    if (method === 'getUpdates') {
      const result = await updates.poll(params);
      return 'conflict' in result ? bad(409, `Conflict: ${result.conflict}`) : good(result.updates);
    }
    if (method === 'setWebhook') {
      if (!/^[A-Za-z0-9_-]{1,256}$/.test(String(params.secret_token))) {
        return bad(400, 'Bad Request: secret token contains unallowed characters');
      }
      updates.setWebhook(params);
      return good(true);
    }
    if (method === 'deleteWebhook') {
      updates.setWebhook(null);
      return good(true);
    }
    if (method === 'getFile') {
      const file = files.get(String(params.file_id));
      if (!file) return bad(400, 'Bad Request: wrong file_id or the file is temporarily unavailable');
      if (file.bytes.length > 20 * megabyte) return bad(400, 'Bad Request: file is too big');
      return good({ file_id: params.file_id, file_size: file.bytes.length, file_path: file.path });
    }
    if (method === 'sendMessage' || method in fileFields) return send(method, params, uploads);
    if (method === 'sendChatAction' || method === 'setMessageReaction') {
      const chat = updates.chats.get(Number(params.chat_id));
      if (!chat) return bad(400, 'Bad Request: chat not found');
      if (method === 'setMessageReaction' && !chat.messages.has(Number(params.message_id))) {
        return bad(400, 'Bad Request: message to react not found');
      }
      return good(true);
    }
    return bad(404, 'Not Found');
  }

  const receiver = await startReceiver(async (message, response) => {
    const call = await readCall(message);
    const download = /^\/file\/bot([^/]+)\/(.+)$/.exec(call.url.pathname);
    if (download) {
      const file = [...files.values()].find(({ path }) => path === decodeURIComponent(download[2]!));
      if (download[1] !== token || !file) return answerJson(response, 404, bad(404, 'Not Found').body);
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.bytes);
      return;
    }
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(call.url.pathname) ?? [];
    if (given === undefined || !/^\d+:[\w-]+$/.test(given)) {
      return answerJson(response, 404, bad(404, 'Not Found').body);
    }
    if (given !== token) return answerJson(response, 401, bad(401, 'Unauthorized').body);
    const { params, uploads } = await readParams(call);
    calls.push({ method, params });
    const failure = failures.take(method);
    if (failure?.drop === 'before') return void response.destroy();
    if (failure?.status) {
      const { status, retryAfter } = failure;
      const parameters = retryAfter === undefined ? undefined : { retry_after: retryAfter };
      return answerJson(
        response,
        status,
        bad(status, failure.message ?? 'Failed on request', parameters).body,
      );
    }
    const { status, body } = await carryOut(method, params, uploads);
    if (failure?.drop === 'after') return void response.destroy();
    answerJson(response, status, body);
  });

  return {
    ...updates,
    get serviceUrl() {
      return updates.serviceUrl;
    },
    set serviceUrl(url) {
      updates.serviceUrl = url;
    },
    url: receiver.origin,
    get token() {
      return token;
    },
    addFile(bytes, path = `documents/file_${files.size}`) {
      const id = `file-${files.size}`;
      files.set(id, { path, bytes });
      return id;
    },
    expireFiles: () => files.clear(),
    sent: (chatId) => sent.filter((one) => chatId === undefined || one.chatId === chatId),
    calls: (method) => calls.filter((one) => method === undefined || one.method === method),
    failNext: (failure) => failures.add(failure),
    setToken(other) {
      token = other;
    },
    async close() {
      updates.close();
      await receiver.close();
    },
  };
}

const shownTags = new Set([
  'b',
  'strong',
  'i',
  'em',
  'u',
  's',
  'code',
  'pre',
  'a',
  'blockquote',
  'tg-spoiler',
]);

/** The sentence of a rejection, or null. The length counts without the tags. */
function checkText(text: string, isHtml: boolean, limit: number): string | null {
  let shown = text;
  if (isHtml) {
    const open: string[] = [];
    for (const [, end, name = ''] of text.matchAll(/<(\/?)([^\s>]*)[^>]*>/g)) {
      if (!shownTags.has(name)) return `can't parse entities: Unsupported start tag "${name}"`;
      if (end === '') open.push(name);
      else if (open.pop() !== name) return "can't parse entities: Unmatched end tag";
    }
    if (open.length > 0)
      return `can't parse entities: Can't find end tag corresponding to start tag "${open[0]}"`;
    shown = text.replace(/<[^>]*>/g, '');
    if (/[<>]/.test(shown)) return "can't parse entities: Unescaped character";
    shown = shown.replace(/&(lt|gt|quot|amp);/g, '.');
  }
  if (shown.length <= limit) return null;
  return limit === 1_024 ? 'message caption is too long' : 'message is too long';
}
