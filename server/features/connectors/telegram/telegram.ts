/** Telegram bots: private chats with customers, by polling or by webhook. Groups and channels are ignored. */
import { timingSafeEqual } from 'node:crypto';
import { Type } from '../../../../contract/shapes/type.ts';
import { choice } from '../../../../contract/shapes/values.ts';
import {
  type FetchedMedia,
  type InboundMedia,
  type InboundRequest,
  type InboundVerdict,
  type Link,
  type Provider,
  ProviderError,
} from '../connectors.provider.ts';
import { callApi, downloadFile, TelegramRejection } from './telegram.api.ts';
import { asNumber, asObject, asObjects, asText, type Json } from './telegram.read.ts';
import { sendPart, setReaction, showTyping } from './telegram.send.ts';
import { translateUpdate } from './telegram.translate.ts';

const megabyte = 1024 * 1024;
const pollSeconds = 25;
const downloadLimit = 20 * megabyte;

/** Without this list Telegram leaves out reactions. */
const allowed_updates = ['message', 'edited_message', 'message_reaction', 'my_chat_member'];

const isPolling = (settings: Record<string, unknown>) => settings.mode !== 'webhook';

export const telegram: Provider = {
  kind: 'telegram',
  channelTypes: ['chatbot'],
  settings: Type.Object({
    mode: Type.Optional({ ...choice(['polling', 'webhook']), default: 'polling' }),
    apiBase: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_048, default: 'https://api.telegram.org' }),
    ),
  }),
  credentials: Type.Object({ botToken: Type.String({ minLength: 1, maxLength: 255 }) }),
  limits: {
    text: 4_096,
    caption: 1_024,
    fileBytes: {
      image: 10 * megabyte,
      video: 50 * megabyte,
      audio: 50 * megabyte,
      document: 50 * megabyte,
    },
    format: 'html',
    hasVoice: true,
    files: 'bytes',
    inboundBytes: 3 * megabyte,
    perSecond: 30,
    perCustomerSecond: 1,
  },

  async check(link) {
    const bot = asObject(await callApi(link, 'getMe', {}));
    const username = asText(bot?.username);
    const name = asText(bot?.first_name) ?? 'a bot without a name';
    return { detail: username === null ? `Connected as ${name}.` : `Connected as @${username} (${name}).` };
  },

  async connect(link) {
    if (isPolling(link.settings)) {
      await callApi(link, 'getMe', {});
      await removeWebhook(link);
    } else {
      const { inboundUrl: url, secret: secret_token } = link;
      await callApi(link, 'setWebhook', { url, secret_token, allowed_updates, max_connections: 40 });
    }
    return { state: 'connected' };
  },

  /** Telegram keeps what comes meanwhile for 24 hours. */
  async disconnect(link) {
    if (!isPolling(link.settings)) await removeWebhook(link);
  },

  verifyHeaders: hasSecret,
  verify,
  translate: (_link, { text, receivedAt }) => translateUpdate(text, receivedAt),

  polls: isPolling,
  poll: pollUpdates,

  fetchMedia,
  send: sendPart,
  react: (link, to, providerMsgId, _isOurs, emoji) => setReaction(link, to, providerMsgId, emoji),
  typing: showTyping,
};

function hasSecret(link: Link, headers: InboundRequest['headers']): boolean {
  const given = Buffer.from(headers['x-telegram-bot-api-secret-token'] ?? '');
  const expected = Buffer.from(link.secret);
  return expected.length > 0 && given.length === expected.length && timingSafeEqual(given, expected);
}

function verify(link: Link, request: InboundRequest): InboundVerdict {
  const isRight = request.method === 'POST' && hasSecret(link, request.headers);
  return isRight ? { status: 200, accepted: request.body.toString('utf8') } : { status: 401, accepted: null };
}

async function pollUpdates(link: Link, cursor: string | null, signal: AbortSignal) {
  const offset = cursor === null ? {} : { offset: Number(cursor) };
  const params = { ...offset, timeout: pollSeconds, limit: 100, allowed_updates };
  const limits = { timeoutMs: (pollSeconds + 10) * 1000, maxBytes: 16 * megabyte, signal };
  let updates: Json[];
  try {
    updates = asObjects(await callApi(link, 'getUpdates', params, limits));
  } catch (error) {
    // Set after we connected, by another program or by an earlier mode of this channel.
    const isWebhook = error instanceof TelegramRejection && /webhook/i.test(error.description);
    if (isWebhook && error.errorClass === 'retry') await removeWebhook(link);
    throw error;
  }
  const next = updates.map(({ update_id }) => (asNumber(update_id) ?? 0) + 1);
  return {
    bodies: updates.map((update) => JSON.stringify(update)),
    cursor: updates.length === 0 ? cursor : String(Math.max(...next, Number(cursor))),
  };
}

const removeWebhook = (link: Link) => callApi(link, 'deleteWebhook', { drop_pending_updates: false });

const gone = () => new ProviderError('gone', 'Telegram no longer has the file.');

async function fetchMedia(link: Link, media: InboundMedia, maxBytes: number): Promise<FetchedMedia> {
  const { ref: file_id, mimeType, fileName } = media;
  let file: unknown;
  try {
    file = await callApi(link, 'getFile', { file_id });
  } catch (error) {
    if (!(error instanceof TelegramRejection) || error.errorClass !== 'final') throw error;
    if (!/too big/i.test(error.description)) throw gone();
    throw new ProviderError('final', 'it is larger than the 20 MB that a Telegram bot may download');
  }
  const path = asText(asObject(file)?.file_path);
  if (path === null) throw gone();
  const bytes = await downloadFile(link, path, Math.min(maxBytes, downloadLimit));
  return { bytes, mimeType, fileName: fileName ?? path.split('/').at(-1) ?? null };
}
