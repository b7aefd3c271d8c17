/** Calls the service as the signed-in user. */
import { isJson, request, responseError } from './http.ts';
import { withSession } from './session.ts';

type Query = { [name: string]: string | number | boolean | null | undefined };
export interface ApiOptions {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  /** A retry with the same key is not carried out twice. */
  idempotencyKey?: string;
  /** The request is sent even if the page closes. */
  keepalive?: boolean;
  /** Whose request it is, if not that of the person who is signed in now. */
  person?: string | null;
}

export async function api<T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { query, body, signal, idempotencyKey, keepalive, person }: ApiOptions = {},
): Promise<T> {
  const send = (token: string | null) =>
    request(path + queryString(query), {
      method,
      signal,
      keepalive,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const response = await withSession(send, person);
  if (!response.ok) throw await responseError(response);
  const answer = isJson(response.headers.get('content-type')) ? response.json() : response.text();
  return answer as Promise<T>;
}

function queryString(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : '';
}

export interface Page<T> {
  items: T[];
  nextToken: string | null;
}

/** All pages, for small lists such as boards, users and channels. */
export async function apiAll<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T[]> {
  const items: T[] = [];
  let nextToken: string | null = null;
  do {
    const page: Page<T> = await api('GET', path, { query: { ...query, limit: 100, nextToken }, signal });
    items.push(...page.items);
    nextToken = page.nextToken;
  } while (nextToken);
  return items;
}
