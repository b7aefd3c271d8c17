/** The widget's API, by the visitor's token. */
import type {
  VisitorArticle,
  VisitorAttachment,
  VisitorMessage,
} from '../../contract/widget/widget-protocol.ts';

export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const origin = new URL(location.href).origin;

async function ask(token: string, method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...init.headers };
  const response = await fetch(origin + path, {
    ...init,
    method,
    headers,
    signal: AbortSignal.timeout(30_000),
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Refused(response.status, body.code ?? '', body.message ?? response.statusText);
}

const json = (body: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export async function sendMessage(
  token: string,
  message: { clientId: string; content: string; attachments: VisitorAttachment[]; wantsPerson?: boolean },
): Promise<{ id: string; position: number; at: number }> {
  return (await ask(token, 'POST', '/widget/messages', json(message))).json();
}

export async function readOlder(
  token: string,
  older: string,
): Promise<{ messages: VisitorMessage[]; older: string | null }> {
  return (await ask(token, 'GET', `/widget/messages?nextToken=${encodeURIComponent(older)}`)).json();
}

export async function findArticles(token: string, q: string, language: string): Promise<VisitorArticle[]> {
  return (await (await ask(token, 'POST', '/widget/articles', json({ q, language }))).json()).articles;
}

export async function upload(token: string, file: Blob, fileName: string): Promise<VisitorAttachment> {
  const headers = { 'content-type': file.type, 'x-file-name': encodeURIComponent(fileName) };
  return (await ask(token, 'POST', '/widget/uploads', { headers, body: file })).json();
}

export async function sendReceipt(
  token: string,
  position: number,
  status: 'delivered' | 'read',
): Promise<void> {
  await ask(token, 'POST', '/widget/receipts', json({ position, status }));
}

export async function sendReaction(token: string, messageId: string, emoji: string | null): Promise<void> {
  await ask(token, 'POST', `/widget/messages/${messageId}/reaction`, json({ emoji }));
}

/** An empty response is an empty object. */
export async function post<T = object>(token: string, path: string, body?: object): Promise<T> {
  const text = await (await ask(token, 'POST', path, body && json(body))).text();
  return JSON.parse(text || '{}');
}

export async function readRating(token: string): Promise<{ score: number | null; comment: string }> {
  return (await ask(token, 'GET', '/widget/rating')).json();
}

export interface FileAddress {
  downloadUrl: string;
  thumbnailUrl?: string;
  width?: number;
  height?: number;
  expiresAt: number;
}

const addresses = new Map<string, Promise<FileAddress>>();

/** Cached while valid; concurrent callers share one request, unless a refresh is asked for. */
export function addressOf(token: string, fileKey: string, isAnew = false): Promise<FileAddress> {
  let found = isAnew ? undefined : addresses.get(fileKey);
  if (!found) {
    found = ask(token, 'GET', `/widget/files/${fileKey}`)
      .then((response) => response.json() as Promise<FileAddress>)
      .then((file) => ({
        ...file,
        downloadUrl: here(file.downloadUrl),
        ...(file.thumbnailUrl && { thumbnailUrl: here(file.thumbnailUrl) }),
      }));
    addresses.set(fileKey, found);
    const forget = () => addresses.delete(fileKey);
    found.then(({ expiresAt }) => setTimeout(forget, Math.max(0, expiresAt - Date.now() - 60_000)), forget);
  }
  return found;
}

/** The service may have other names than the one that the site uses; the frame may fetch from this one. */
function here(address: string): string {
  const { pathname, search } = new URL(address, origin);
  return pathname.startsWith('/files/') ? origin + pathname + search : address;
}
