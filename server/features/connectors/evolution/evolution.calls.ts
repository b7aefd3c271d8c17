/** Calls of the gateway, and what its errors mean. No error holds a credential. */
import { type Link, type ProviderAnswer, ProviderError } from '../connectors.provider.ts';
import { isObject, listOf, objectOf, textOf } from '../connectors.values.ts';

const shownLength = 300;
/** Files travel inside the JSON, and the gateway answers after it has uploaded them. */
export const fileTimeoutMs = 120_000;

export interface GatewayCall {
  method: 'GET' | 'POST';
  /** Below the base address, without the instance, which is appended. */
  path: string;
  json?: unknown;
  timeoutMs?: number;
  maxBytes?: number;
}

export const instanceOf = (link: Link): string => String(link.settings.instanceName);

/** Any answer. The key goes as a header, so that it is in no address. */
export function callGateway(link: Link, { path, ...rest }: GatewayCall): Promise<ProviderAnswer> {
  return link.call({
    ...rest,
    url: `${link.settings.apiBase}${path}`,
    headers: { apikey: link.credentials.apiKey ?? '' },
  });
}

/** An answer of 2xx; throws what the others mean. */
export async function callInstance(link: Link, call: GatewayCall): Promise<ProviderAnswer> {
  const answer = await callGateway(link, {
    ...call,
    path: `${call.path}/${encodeURIComponent(instanceOf(link))}`,
  });
  if (answer.status >= 300) throw errorOf(link, answer);
  return answer;
}

export function errorOf(link: Link, answer: ProviderAnswer): ProviderError {
  const { status } = answer;
  const said = messageOf(link, answer.json);
  if (status === 401 || status === 403) {
    return new ProviderError('credentials', 'The gateway rejected the API key.');
  }
  if (/connection closed/i.test(said)) {
    return new ProviderError('unlinked', 'The phone is not linked to the gateway.');
  }
  if (status === 404) {
    const gone = `The gateway has no instance named "${instanceOf(link)}". Connect the channel again.`;
    return new ProviderError('unlinked', gone);
  }
  if (status === 429) {
    return new ProviderError('retry', 'The gateway limits the rate of requests.', waitOf(answer), 'channel');
  }
  if (status >= 500) {
    return new ProviderError('retry', `The gateway answered with status ${status}${said && `: ${said}`}`);
  }
  if (isUnknownNumber(answer.json)) {
    return new ProviderError('final', 'This number has no account in the chat app.');
  }
  if (status === 413) return new ProviderError('final', 'The file is too large for the gateway.');
  return new ProviderError(
    'final',
    `The gateway rejected the request with status ${status}${said && `: ${said}`}`,
  );
}

/** Seconds or a date. */
function waitOf(answer: ProviderAnswer): number | null {
  const value = answer.headers['retry-after'];
  if (!value) return null;
  const ms = /^\d{1,6}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

const messagesOf = (body: unknown): unknown[] => {
  const { message } = objectOf(objectOf(body).response);
  return Array.isArray(message) ? message.flat() : [message];
};

const isUnknownNumber = (body: unknown): boolean =>
  messagesOf(body).some((one) => isObject(one) && one.exists === false);

/** What the gateway says, without the key, which some gateways repeat. */
function messageOf(link: Link, body: unknown): string {
  const own = textOf(objectOf(body).message);
  const texts = [...messagesOf(body), own].flatMap((one) => textOf(one) ?? listOf(objectOf(one).message));
  const key = link.credentials.apiKey;
  const text = [...new Set(texts.flatMap((one) => textOf(one) ?? []))].join(', ');
  return (key ? text.replaceAll(key, '…') : text).slice(0, shownLength);
}
