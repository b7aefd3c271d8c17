/** Calls the Bot API. The token is part of every address, so no address may appear in an error. */
import {
  type Link,
  type ProviderAnswer,
  ProviderError,
  type ProviderErrorClass,
} from '../connectors.provider.ts';
import { asNumber, asObject, asText } from './telegram.read.ts';

type Params = Record<string, unknown>;
interface File {
  field: string;
  name: string;
  type: string;
  bytes: Buffer;
}
interface Options {
  file?: File;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
}

/** An answer with `ok: false`. */
export class TelegramRejection extends ProviderError {
  /** The sentence of the Bot API, in English. */
  readonly description: string;
  /** The chat became another one. */
  readonly migrateToChatId: number | null;

  constructor(
    errorClass: ProviderErrorClass,
    message: string,
    details: {
      waitMs?: number | null;
      pauses?: ProviderError['pauses'];
      description: string;
      migrateToChatId?: number | null;
    },
  ) {
    super(errorClass, message, details.waitMs ?? null, details.pauses);
    this.description = details.description;
    this.migrateToChatId = details.migrateToChatId ?? null;
  }
}

const wrongToken = 'Telegram rejected the bot token. Copy it again from @BotFather.';

/** A token of another form could lead to another address. */
function tokenOf(link: Link): string {
  const token = (link.credentials.botToken ?? '').trim();
  if (!/^[A-Za-z0-9_:-]+$/.test(token)) throw new ProviderError('credentials', wrongToken);
  return token;
}

const apiBase = (link: Link) => String(link.settings.apiBase);

export async function callApi(
  link: Link,
  method: string,
  params: Params,
  options: Options = {},
): Promise<unknown> {
  const { file, ...limits } = options;
  const url = `${apiBase(link)}/bot${tokenOf(link)}/${method}`;
  const body = file ? { multipart: { fields: asFields(params), file } } : { json: params };
  const answer = await link.call({ method: 'POST', url, ...body, ...limits });
  const result = asObject(answer.json);
  if (result?.ok === true) return result.result;
  throw rejection(link, answer);
}

/** In a form, everything but text is JSON. */
function asFields(params: Params): Record<string, string> {
  const entries = Object.entries(params).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

export async function downloadFile(link: Link, path: string, maxBytes: number): Promise<Buffer> {
  const safePath = path.split('/').map(encodeURIComponent).join('/');
  const url = `${apiBase(link)}/file/bot${tokenOf(link)}/${safePath}`;
  const answer = await link.call({ method: 'GET', url, maxBytes, timeoutMs: 60_000 });
  if (answer.status === 200) return answer.bytes;
  if ([400, 403, 404, 410].includes(answer.status)) {
    throw new ProviderError('gone', 'Telegram no longer has the file.');
  }
  throw rejection(link, answer);
}

function rejection(link: Link, answer: ProviderAnswer): ProviderError {
  const body = asObject(answer.json);
  const parameters = asObject(body?.parameters);
  const code = asNumber(body?.error_code) ?? answer.status;
  const said = asText(body?.description) ?? '';
  const description = said.replaceAll(tokenOf(link), '…').slice(0, 300);
  const retryAfter = asNumber(parameters?.retry_after) ?? Number(answer.headers['retry-after'] ?? Number.NaN);
  const waitMs = Number.isFinite(retryAfter) ? retryAfter * 1000 : null;
  const migrateToChatId = asNumber(parameters?.migrate_to_chat_id);
  const { errorClass, message } = classify(code, description);
  const pauses = code === 429 ? 'channel' : undefined;
  return new TelegramRejection(errorClass, message, { waitMs, pauses, description, migrateToChatId });
}

function classify(code: number, description: string): { errorClass: ProviderErrorClass; message: string } {
  const quoted = description === '' ? `status ${code}` : description;
  if (code >= 200 && code < 300) {
    return { errorClass: 'lost', message: 'The response of Telegram was not readable.' };
  }
  if (code === 401 || code === 404) return { errorClass: 'credentials', message: wrongToken };
  if (code === 409) {
    const message = 'Another program receives the messages of this bot. Stop it, or use another bot.';
    return { errorClass: 'retry', message };
  }
  if (code === 429) return { errorClass: 'retry', message: 'Telegram asks to send more slowly.' };
  if (code >= 500) return { errorClass: 'retry', message: `Telegram is not available: ${quoted}` };
  return { errorClass: 'final', message: finalSentence(description) ?? `Telegram rejected this: ${quoted}` };
}

function finalSentence(description: string): string | null {
  const known: [RegExp, string][] = [
    [/blocked by the user/i, 'The customer blocked the bot.'],
    [/user is deactivated/i, 'The customer deleted their Telegram account.'],
    [/can't initiate conversation/i, 'The customer has not started a chat with the bot.'],
    [
      /chat not found/i,
      'Telegram does not know this chat, or the customer has not started one with this bot.',
    ],
    [/REACTION_INVALID/, 'Telegram does not allow this emoji as a reaction.'],
  ];
  return known.find(([pattern]) => pattern.test(description))?.[1] ?? null;
}
