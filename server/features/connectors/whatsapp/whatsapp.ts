/** WhatsApp Business over Meta's Cloud API (docs/whatsapp.md). */
import { Type } from '../../../../contract/shapes/type.ts';
import type { Provider } from '../connectors.provider.ts';
import { graphSettings } from '../meta/meta.graph.ts';
import { metaInboundBytes, verifyMeta } from '../meta/meta.webhook.ts';
import { checkNumber, connectNumber } from './whatsapp.connect.ts';
import { fetchFile, markRead, sendPart, sendReaction, sendTyping } from './whatsapp.send.ts';
import { parameterProblem, readTemplates } from './whatsapp.templates.ts';
import { translateBody, translateDelivery } from './whatsapp.translate.ts';

const megabyte = 1024 * 1024;
const secret = () => Type.String({ minLength: 1, maxLength: 1024 });
const graphId = () => Type.String({ pattern: '^[0-9]{1,30}$' });

export const whatsappCloud: Provider = {
  kind: 'whatsapp_cloud',
  channelTypes: ['chatapp', 'chatapp_byot'],
  settings: Type.Object({
    phoneNumberId: graphId(),
    businessAccountId: graphId(),
    graphVersion: Type.String({ pattern: '^v[0-9]{1,3}\\.[0-9]{1,2}$', default: graphSettings.graphVersion }),
    apiBase: Type.String({ minLength: 1, maxLength: 2048, default: graphSettings.apiBase }),
  }),
  credentials: Type.Object({ accessToken: secret(), appSecret: secret(), verifyToken: secret() }),
  limits: {
    text: 4096,
    caption: 1024,
    fileBytes: {
      image: 5 * megabyte,
      video: 16 * megabyte,
      audio: 16 * megabyte,
      document: 100 * megabyte,
    },
    format: 'whatsapp',
    hasVoice: true,
    files: 'bytes',
    inboundBytes: metaInboundBytes,
    perSecond: 80,
    perCustomerSecond: 1 / 6,
    customerBurst: 45,
    /** WhatsApp shows it for 25 seconds. */
    typingMs: 20_000,
    windowMs: 24 * 60 * 60_000,
  },
  check: checkNumber,
  connect: connectNumber,
  /** Other channels may use the subscription of the app. Meta repeats for days what we answer with 503. */
  async disconnect() {},
  verify: (link, request) =>
    verifyMeta(link, request, (body) => translateBody(link, body, Date.now()).length > 0),
  translate: translateDelivery,
  fetchMedia: fetchFile,
  send: sendPart,
  templates: readTemplates,
  parameterProblem,
  react: sendReaction,
  typing: sendTyping,
  markRead,
};
