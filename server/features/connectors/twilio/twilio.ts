/** Text messages (SMS and MMS) through Twilio. */
import { Type } from '../../../../contract/shapes/type.ts';
import {
  type FetchedMedia,
  type InboundMedia,
  type InboundRequest,
  type InboundVerdict,
  type Link,
  type Provider,
  ProviderError,
} from '../connectors.provider.ts';
import { authorization } from './twilio.credentials.ts';
import { isTokenRejected, rejectionOf } from './twilio.errors.ts';
import { accountUrl, callTwilio, findPart, sendPart } from './twilio.send.ts';
import { checkTwilio, twilioSettings } from './twilio.settings.ts';
import { isSigned } from './twilio.signature.ts';
import { type StoredRequest, translateRequest } from './twilio.translate.ts';

const megabyte = 1024 * 1024;
const fileBytes = 5 * megabyte;
const mediaTimeoutMs = 60_000;

export const twilio: Provider = {
  kind: 'twilio',
  channelTypes: ['sms'],
  settings: twilioSettings,
  credentials: Type.Object({ authToken: Type.String({ minLength: 1, maxLength: 255 }) }),
  limits: {
    text: 1_600,
    caption: 1_600,
    fileBytes: { image: fileBytes, video: fileBytes, audio: fileBytes, document: fileBytes },
    format: 'plain',
    hasVoice: false,
    files: 'url',
    inboundBytes: 64 * 1024,
    perSecond: 20,
    perCustomerSecond: null,
  },
  checkSettings: checkTwilio,

  async check(link) {
    const { body } = await callTwilio(link, { url: `${accountUrl(link)}.json` });
    const { friendly_name: name, status } = body;
    if (typeof status === 'string' && status !== 'active') {
      throw new ProviderError('credentials', `The Twilio account is ${status}.`);
    }
    const { from, messagingServiceSid } = link.settings;
    const sender = messagingServiceSid ? `the messaging service ${messagingServiceSid}` : from;
    return {
      detail: `Connected to the account ${name ?? link.settings.accountSid}, sending from ${sender}.`,
    };
  },

  /** The administrator gives Twilio the inbound address; nothing is set there for them. */
  async connect(link) {
    await twilio.check(link);
    return { state: 'connected' };
  },
  async disconnect() {},

  verify,
  translate: (_link, { text, receivedAt }) => translateRequest(text, receivedAt),
  fetchMedia,
  send: sendPart,
  find: findPart,
};

/** Twilio takes a GET too, whose fields stand in the signed address. */
function verify(link: Link, request: InboundRequest): InboundVerdict {
  const isPost = request.method === 'POST';
  const form = new URLSearchParams(isPost ? request.body.toString('utf8') : '');
  const signature = request.headers['x-twilio-signature'] ?? '';
  if (!isSigned(link.credentials.authToken ?? '', request.url, form, signature)) {
    return { status: 401, accepted: null };
  }
  const { part = null, ...query } = request.query;
  const stored: StoredRequest = { part, form: isPost ? Object.fromEntries(form) : query };
  return {
    status: 200,
    contentType: 'text/xml',
    body: '<Response></Response>',
    accepted: JSON.stringify(stored),
  };
}

/** The address redirects to a store; the frame leaves the credentials behind there. */
async function fetchMedia(link: Link, media: InboundMedia, maxBytes: number): Promise<FetchedMedia> {
  if (media.ref === null || !URL.canParse(media.ref)) {
    throw new ProviderError('gone', 'Twilio gave no address for the file.');
  }
  const headers = authorization(link);
  const answer = await link.call({ url: media.ref, headers, maxBytes, timeoutMs: mediaTimeoutMs });
  // A 401 of the store, without Twilio's own code, says nothing about the auth token.
  const isOfStore = answer.status === 401 && !isTokenRejected(answer);
  if (isOfStore || [400, 403, 404, 410].includes(answer.status)) {
    throw new ProviderError('gone', 'Twilio no longer has the file.');
  }
  if (answer.status !== 200) throw rejectionOf(link, answer);
  const mimeType = media.mimeType ?? answer.headers['content-type'] ?? null;
  return { bytes: answer.bytes, mimeType, fileName: media.fileName };
}
