/** A phone linked by QR code, over an Evolution API gateway (docs/linked-phone.md). */
import { Type } from '../../../../contract/shapes/type.ts';
import type { Provider } from '../connectors.provider.ts';
import { checkInstance, connectInstance, readCode } from './evolution.connect.ts';
import { fetchFile, markRead, sendPart, sendReaction, sendTyping } from './evolution.send.ts';
import { translateWebhook } from './evolution.translate.ts';
import { hasSecret, verifyWebhook } from './evolution.verify.ts';

const megabyte = 1024 * 1024;

export const evolution: Provider = {
  kind: 'evolution',
  channelTypes: ['chatapp_no'],
  settings: Type.Object({
    apiBase: Type.String({ minLength: 1, maxLength: 2048 }),
    instanceName: Type.String({ minLength: 1, maxLength: 100 }),
    groups: Type.Boolean({ default: false }),
  }),
  credentials: Type.Object({ apiKey: Type.String({ minLength: 1, maxLength: 1024 }) }),
  limits: {
    text: 4096,
    caption: 1024,
    fileBytes: {
      image: 16 * megabyte,
      video: 64 * megabyte,
      audio: 16 * megabyte,
      document: 100 * megabyte,
    },
    format: 'whatsapp',
    hasVoice: true,
    files: 'bytes',
    /** A file is part of the body. */
    inboundBytes: 100 * megabyte,
    perSecond: 10,
    perCustomerSecond: 1,
  },
  check: checkInstance,
  connect: connectInstance,
  /** The instance keeps its webhook: it repeats what we answer with 503 until the channel is connected again. */
  async disconnect() {},
  verifyHeaders: hasSecret,
  verify: verifyWebhook,
  translate: translateWebhook,
  fetchMedia: fetchFile,
  send: sendPart,
  react: sendReaction,
  typing: sendTyping,
  markRead,
  scan: readCode,
};
