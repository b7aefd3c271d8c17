/** Messenger conversations of a Facebook page, and direct messages of an Instagram account (docs/messenger.md). */
import { Type } from '../../../../contract/shapes/type.ts';
import { choice } from '../../../../contract/shapes/values.ts';
import { type Link, type Provider, ProviderError, type ProviderLimits } from '../connectors.provider.ts';
import { textOf } from '../connectors.values.ts';
import { callGraph, graphSettings } from '../meta/meta.graph.ts';
import { metaInboundBytes, verifyMeta } from '../meta/meta.webhook.ts';
import { errors } from './messenger.errors.ts';
import {
  fetchFile,
  isInstagram,
  markSeen,
  pagePath,
  sendPart,
  setReaction,
  showTyping,
} from './messenger.send.ts';
import { translateDelivery } from './messenger.translate.ts';

const megabyte = 1024 * 1024;
const day = 24 * 3_600_000;
const setting = Type.String({ minLength: 1, maxLength: 255 });
const credential = Type.String({ minLength: 1, maxLength: 2_048 });
const mostBytes = 25 * megabyte;

const pageLimits: ProviderLimits = {
  text: 2_000,
  caption: 0,
  fileBytes: { image: mostBytes, video: mostBytes, audio: mostBytes, document: mostBytes },
  format: 'plain',
  hasVoice: true,
  files: 'bytes',
  inboundBytes: metaInboundBytes,
  perSecond: 100,
  perCustomerSecond: null,
  /** Messenger shows it for 20 seconds. */
  typingMs: 15_000,
  windowMs: day,
  personWindowMs: 7 * day,
};

/** Instagram fetches files, and plays no Ogg Opus. */
const instagramLimits: ProviderLimits = {
  ...pageLimits,
  text: 1_000,
  countsBytes: true,
  fileBytes: { ...pageLimits.fileBytes, image: 8 * megabyte },
  hasVoice: false,
  files: 'url',
};

export const messenger: Provider = {
  kind: 'messenger',
  channelTypes: ['chatapp'],
  settings: Type.Object({
    pageId: setting,
    platform: choice(['page', 'instagram']),
    graphVersion: Type.Optional(
      Type.String({ pattern: '^v\\d{1,3}\\.\\d{1,2}$', default: graphSettings.graphVersion }),
    ),
    apiBase: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048, default: graphSettings.apiBase })),
  }),
  credentials: Type.Object({ accessToken: credential, appSecret: credential, verifyToken: credential }),
  limits: pageLimits,
  limitsFor: (settings) => (isInstagram({ settings }) ? instagramLimits : pageLimits),

  async check(link) {
    const fields = isInstagram(link) ? 'name,username' : 'name';
    const account = await callGraph(link, { method: 'GET', path: pagePath(link), query: { fields } }, errors);
    const name = textOf(account.name) ?? textOf(account.username) ?? String(link.settings.pageId);
    return { detail: `Connected to the ${isInstagram(link) ? 'Instagram account' : 'page'} ${name}.` };
  },

  async connect(link) {
    await messenger.check(link);
    await subscribe(link);
    return { state: 'connected' };
  },
  /** The inbound address answers 503, so that Meta keeps what comes. */
  async disconnect() {},

  verify: (link, request) =>
    verifyMeta(link, request, ({ object }) => object === 'page' || object === 'instagram'),
  translate: (link, { text, receivedAt }) => translateDelivery(link, text, receivedAt),

  fetchMedia: fetchFile,
  send: sendPart,
  react: (link, to, providerMsgId, _isOurs, emoji) => setReaction(link, to, providerMsgId, emoji),
  typing: showTyping,
  markRead: (link, to) => markSeen(link, to),
  async nameOf(link, customerId) {
    const path = `/${encodeURIComponent(customerId)}`;
    const query = { fields: 'name' };
    const { name } = await callGraph(link, { method: 'GET', path, query, timeoutMs: 3_000 }, errors);
    return textOf(name);
  },
};

const pageFields = [
  'messages',
  'messaging_postbacks',
  'message_echoes',
  'message_reactions',
  'message_deliveries',
  'message_reads',
];
const instagramFields = ['messages', 'messaging_postbacks', 'messaging_seen', 'message_reactions'];

/** Which events Meta sends for this account. Edits are left out where this version of Graph does not know them. */
async function subscribe(link: Link): Promise<void> {
  const [fields, edits] = isInstagram(link)
    ? [instagramFields, 'message_edit']
    : [pageFields, 'message_edits'];
  const path = `${pagePath(link)}/subscribed_apps`;
  const post = (names: readonly string[]) =>
    callGraph(link, { method: 'POST', path, query: { subscribed_fields: names.join(',') } }, errors);
  try {
    await post([...fields, edits]);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.errorClass !== 'final') throw error;
    await post(fields);
  }
}
