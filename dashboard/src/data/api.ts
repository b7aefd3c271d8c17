/** Calls the service as the signed-in user. A 401 is answered by one renewal and a second try. */
import { ApiError, OfflineError } from './errors.ts';
import { currentToken, renew } from './session.ts';

type Query = { [name: string]: string | number | boolean | null | undefined };
export interface ApiOptions {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  /** Lets a retry of the same act be told from a second act. */
  idempotencyKey?: string;
}

export async function api<T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  options: ApiOptions = {},
): Promise<T> {
  let response = await send(method, path, options);
  if (response.status === 401) {
    await renew();
    response = await send(method, path, options);
  }
  const isJson = response.headers.get('content-type')?.includes('application/json');
  const answer = isJson ? await response.json() : await response.text();
  if (response.ok) return answer as T;
  const error = typeof answer.error === 'object' ? answer.error : answer;
  throw new ApiError(
    response.status,
    error.code ?? '',
    error.message ?? response.statusText,
    answer.requestId ?? '',
  );
}

async function send(
  method: string,
  path: string,
  { query, body, signal, idempotencyKey }: ApiOptions,
): Promise<Response> {
  const token = await currentToken();
  try {
    return await fetch(path + queryString(query), {
      method,
      signal,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new OfflineError();
  }
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

/** For lists that are small by nature: all pages of boards, users, channels. */
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
