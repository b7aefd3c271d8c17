/** Sends text messages, and finds those whose response was lost. */
import {
  type Address,
  type Link,
  type OutboundPart,
  type ProviderAnswer,
  ProviderError,
  type ProviderRequest,
  type SentPart,
} from '../connectors.provider.ts';
import { authorization } from './twilio.credentials.ts';
import { rejectionOf } from './twilio.errors.ts';
import { statuses } from './twilio.translate.ts';

type Json = Record<string, unknown>;

export const accountUrl = (link: Link) =>
  `${link.settings.apiBase}/2010-04-01/Accounts/${encodeURIComponent(String(link.settings.accountSid))}`;

/** Throws ProviderError unless the answer is a success with a body that can be read. */
export async function callTwilio(
  link: Link,
  request: ProviderRequest,
): Promise<{ body: Json; answer: ProviderAnswer }> {
  const answer = await link.call({ ...request, headers: { ...request.headers, ...authorization(link) } });
  const isGood = answer.status >= 200 && answer.status < 300;
  if (!isGood || typeof answer.json !== 'object' || answer.json === null) throw rejectionOf(link, answer);
  return { body: answer.json as Json, answer };
}

/** Contacts keep phone numbers without their +. Short codes have none. */
function numberOf({ customerId, identifiers }: Address): string {
  if (/^\+?\d+$/.test(customerId)) return withPlus(customerId);
  const phone = identifiers.find(({ kind }) => kind === 'phone')?.value;
  if (phone !== undefined) return withPlus(phone);
  throw new ProviderError('final', 'The customer has no phone number.');
}

const shortCodeDigits = 6;
const withPlus = (phone: string) =>
  phone.startsWith('+') || phone.length <= shortCodeDigits ? phone : `+${phone}`;

export async function sendPart(link: Link, part: OutboundPart): Promise<SentPart> {
  const { from, messagingServiceSid } = link.settings;
  if (part.file && !part.file.url) throw new ProviderError('final', 'The file has no address for Twilio.');
  const { body } = await callTwilio(link, {
    method: 'POST',
    url: `${accountUrl(link)}/Messages.json`,
    form: {
      To: numberOf(part.to),
      ...(messagingServiceSid
        ? { MessagingServiceSid: String(messagingServiceSid) }
        : { From: String(from) }),
      ...(part.text === '' ? {} : { Body: part.text }),
      ...(part.file?.url ? { MediaUrl: part.file.url } : {}),
      StatusCallback: `${link.inboundUrl}?part=${encodeURIComponent(part.id)}`,
    },
  });
  if (typeof body.sid !== 'string') {
    throw new ProviderError('lost', 'The response of Twilio was not readable.');
  }
  return sentPart(body);
}

/** Twilio has it from now on, also while it is queued there. */
const sentPart = ({ sid, status }: Json): SentPart => ({
  providerMsgId: String(sid),
  status: statuses[String(status)] ?? 'sent',
});

const pageSize = 100;
/** Their times are whole seconds. */
const slackMs = 2_000;

/** The newest message to the customer since then with the same text and files that is not linked yet. */
export async function findPart(
  link: Link,
  part: OutboundPart,
  since: number,
  linked: (sids: readonly string[]) => Promise<ReadonlySet<string>> = async () => new Set(),
): Promise<SentPart | 'not sent' | 'unknown'> {
  const query = new URLSearchParams({ To: numberOf(part.to), PageSize: String(pageSize) });
  const { body, answer } = await callTwilio(link, { url: `${accountUrl(link)}/Messages.json?${query}` });
  if (!Array.isArray(body.messages)) return 'unknown';
  const messages = body.messages as Json[];
  const theirNow = Date.parse(answer.headers.date ?? '');
  const skew = Number.isFinite(theirNow) ? theirNow - Date.now() : 0;
  const isRecent = (message: Json) => {
    const at = Date.parse(String(message.date_created ?? message.date_sent));
    return !Number.isFinite(at) || at >= since + skew - slackMs;
  };
  const alike = messages.filter(
    (message) =>
      isRecent(message) && isOutbound(message) && isFromUs(link, message) && hasSameContent(message, part),
  );
  const others = await linked(alike.map(({ sid }) => String(sid)));
  const found = alike.find(({ sid }) => !others.has(String(sid)));
  if (found) return sentPart(found);
  const isComplete = messages.length < pageSize || messages.some((message) => !isRecent(message));
  return isComplete ? 'not sent' : 'unknown';
}

const isOutbound = ({ direction }: Json) => typeof direction !== 'string' || direction.startsWith('outbound');

/** Another number of the account may write to the same customer. A messaging service chooses among its numbers. */
function isFromUs({ settings }: Link, message: Json): boolean {
  const [ours, theirs] = settings.messagingServiceSid
    ? [settings.messagingServiceSid, message.messaging_service_sid]
    : [settings.from, message.from];
  return typeof theirs !== 'string' || theirs === '' || theirs === ours;
}

/** Trial accounts put a sentence in front of the text. */
function hasSameContent(message: Json, part: OutboundPart): boolean {
  const text = part.text.trim();
  const body = String(message.body ?? '').trim();
  const hasFiles = Number(message.num_media ?? 0) > 0;
  return (body === text || body.endsWith(`trial account - ${text}`)) && hasFiles === (part.file !== null);
}
