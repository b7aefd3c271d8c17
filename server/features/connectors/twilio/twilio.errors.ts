/** What Twilio's codes mean, as classes for the frame and sentences for people. */
import {
  type Link,
  type ProviderAnswer,
  ProviderError,
  type ProviderErrorClass,
} from '../connectors.provider.ts';
import { withoutCredentials } from './twilio.credentials.ts';

const sentences: Record<number, string> = {
  21211: 'The phone number is not valid.',
  21408: 'The Twilio account may not send to this country.',
  21610: 'The customer opted out with STOP. They can opt in again with START.',
  21612: 'Twilio cannot deliver to this number from the sender of this channel.',
  21614: 'The phone number cannot receive text messages.',
  21617: 'The text is longer than the 1,600 characters that Twilio takes.',
  21620: 'Twilio could not use the address of the file.',
  30003: "The customer's phone is switched off or not reachable.",
  30004: 'The customer or their carrier blocks messages from this number.',
  30005: 'The phone number is unknown or no longer in use.',
  30006: 'The phone number is a landline, or its carrier cannot be reached.',
  30007: 'The carrier filtered the message.',
  30008: 'The carrier reported an unknown error.',
  30034: 'The sender is not registered for A2P 10DLC.',
};

/** The sender is wrong for every message until an administrator changes the settings. */
const senderCodes = new Set([21212, 21603, 21606, 21659, 21660, 21701]);

export const reasonOf = (code: number | null): string => {
  if (code === null) return 'Twilio could not deliver the message.';
  return sentences[code] ?? `Twilio could not deliver the message (error ${code}).`;
};

const bodyOf = ({ json }: ProviderAnswer) =>
  (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;

export const isTokenRejected = (answer: ProviderAnswer) => bodyOf(answer).code === 20003;

export function rejectionOf(link: Link, answer: ProviderAnswer): ProviderError {
  const { status, headers } = answer;
  const body = bodyOf(answer);
  const code = typeof body.code === 'number' ? body.code : null;
  const said = typeof body.message === 'string' ? withoutCredentials(link, body.message).slice(0, 300) : null;
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const [errorClass, message] = classify(status, code, said);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : null;
  const isTooFast = status === 429 || code === 20429;
  return new ProviderError(errorClass, message, waitMs, isTooFast || waitMs !== null ? 'channel' : null);
}

function classify(status: number, code: number | null, said: string | null): [ProviderErrorClass, string] {
  if (status >= 200 && status < 300) return ['lost', 'The response of Twilio was not readable.'];
  if (status === 401 || code === 20003) {
    return ['credentials', 'Twilio rejected the account SID or the auth token.'];
  }
  if (status === 429 || code === 20429) return ['retry', 'Twilio asks to send more slowly.'];
  if (status >= 500) return ['retry', `Twilio is not available (status ${status}).`];
  if (status === 404 || code === 20404) return ['credentials', 'Twilio does not know this account SID.'];
  if (code !== null && senderCodes.has(code)) {
    return ['credentials', `Twilio does not accept the sender of this channel: ${said ?? `error ${code}`}`];
  }
  if (code !== null && code in sentences) return ['final', sentences[code]!];
  const detail = said ?? `status ${status}`;
  return ['final', `Twilio rejected the message: ${detail}${code === null ? '' : ` (error ${code})`}`];
}
