/** Makes a provider's error text safe to show to the team: short, one line, without secrets. */

const longest = 300;
/** This many consecutive characters of a key are as good as the key. */
const telling = 8;
const hiddenKey = '[key removed]';

/**
 * Null unless the body is JSON with an error message in one of the usual forms: a proxy's error page says nothing.
 */
export function providerMessage(body: string | undefined, apiKey: string | null): string | null {
  const text = messageIn(parsed(body));
  if (text === null) return null;
  const line = withoutSecrets(text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim(), apiKey);
  const points = [...line];
  return line === '' ? null : points.length > longest ? `${points.slice(0, longest).join('')}…` : line;
}

function parsed(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return null;
  }
}

/** `{ error: { message } }`, `{ error }`, `{ message }` or `{ detail }`, also as the only item of a list. */
function messageIn(body: unknown): string | null {
  if (typeof body === 'string') return body;
  if (Array.isArray(body)) return messageIn(body[0] ?? null);
  if (typeof body !== 'object' || body === null) return null;
  const { error, message, detail } = body as { [name: string]: unknown };
  const inner = typeof error === 'object' ? messageIn(error) : error;
  return [inner, message, detail].find((one) => typeof one === 'string') ?? null;
}

const keyForm = /\b(?:sk|pk|rk|gsk|xai|key|token)[-_][\w-]{6,}/gi;
const bearerForm = /\bbearer\s+\S+/gi;
/** Providers quote a key with its middle starred out. */
const starredForm = /\S*\*{3,}\S*/g;

function withoutSecrets(text: string, apiKey: string | null): string {
  const withoutForms = [bearerForm, starredForm, keyForm].reduce(
    (rest, form) => rest.replace(form, hiddenKey),
    text,
  );
  if (!apiKey) return withoutForms;
  return withoutForms
    .split(/(\s)/)
    .map((word) => (holdsKey(word, apiKey) ? hiddenKey : word))
    .join('');
}

function holdsKey(word: string, apiKey: string): boolean {
  if (apiKey.length <= telling) return word.includes(apiKey);
  for (let at = 0; at + telling <= word.length; at++) {
    if (apiKey.includes(word.slice(at, at + telling))) return true;
  }
  return false;
}
