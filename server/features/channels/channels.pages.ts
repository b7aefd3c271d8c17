import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import { cutPage, type PageTokens } from '../../platform/http/page-token.ts';

/** Few enough to read all; ids contain the time, so their order is the order of creation. */
export function pageById<T extends { id: string }>(
  all: T[],
  query: { limit?: number; nextToken?: string },
  tokens: PageTokens,
  scope: string[],
) {
  const size = pageSize(query.limit, limits.listPage);
  const after = query.nextToken === undefined ? '' : String(tokens.read(query.nextToken, scope)[0]);
  const rest = all.filter((item) => item.id > after).slice(0, size + 1);
  return cutPage(rest, size, (last) => tokens.issue([last.id], scope));
}
