/** Calls of the Graph API. The access token goes as a header, so that it is in no address. */
import type { Link, ProviderAnswer, ProviderRequest } from '../connectors.provider.ts';
import { isObject, type Values } from '../connectors.values.ts';
import { type GraphErrors, rejectionOf } from './meta.errors.ts';

export interface GraphCall extends Pick<ProviderRequest, 'json' | 'multipart' | 'timeoutMs' | 'maxBytes'> {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the version, each part encoded: `/1065/messages`. */
  path: string;
  query?: Record<string, string>;
}

const bearer = (link: Link) => ({ authorization: `Bearer ${link.credentials.accessToken ?? ''}` });

/** The body of a success; throws ProviderError for everything else. */
export async function callGraph(link: Link, call: GraphCall, errors: GraphErrors): Promise<Values> {
  const { path, query, ...rest } = call;
  const search = query ? `?${new URLSearchParams(query)}` : '';
  const { apiBase, graphVersion } = link.settings;
  const url = `${apiBase}/${graphVersion}${path}${search}`;
  const answer = await link.call({ ...rest, url, headers: bearer(link) });
  const isGood = answer.status >= 200 && answer.status < 300;
  if (!isGood || !isObject(answer.json)) throw rejectionOf(link, answer, errors);
  return answer.json;
}

/** A file at an address that Graph told. Any answer: an expired address is not an error of the token. */
export function fetchAddress(link: Link, url: string, maxBytes: number): Promise<ProviderAnswer> {
  return link.call({ method: 'GET', url, headers: bearer(link), maxBytes, timeoutMs: 60_000 });
}

/** The items of every page of a list. */
export async function listGraph(
  link: Link,
  { path, query = {} }: Pick<GraphCall, 'path' | 'query'>,
  errors: GraphErrors,
): Promise<Values[]> {
  const items: Values[] = [];
  const seen = new Set<string>();
  for (let after: string | null = null; ; ) {
    const page: Values = await callGraph(
      link,
      { method: 'GET', path, query: after === null ? query : { ...query, after }, maxBytes: pageBytes },
      errors,
    );
    if (Array.isArray(page.data)) items.push(...page.data.filter(isObject));
    after = nextOf(page);
    // A cursor that comes again would never end.
    if (after === null || seen.has(after)) return items;
    seen.add(after);
  }
}

const pageBytes = 8 * 1024 * 1024;

/** The last page still has a cursor, but no address of the next. */
function nextOf({ paging }: Values): string | null {
  if (!isObject(paging) || typeof paging.next !== 'string' || !isObject(paging.cursors)) return null;
  const { after } = paging.cursors;
  return typeof after === 'string' && after !== '' ? after : null;
}

export const graphSettings = { graphVersion: 'v25.0', apiBase: 'https://graph.facebook.com' } as const;
