/** Lists of records, as JSON. */

import type { RecordsQuery } from '../../../contract/crm/records.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Db, Reader } from '../../platform/db/db.ts';
import { cutPage, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import type { Actor } from '../accounts/accounts.ts';
import { selectRecordsByIds } from './lookup/records.lookup.sql.ts';
import { isConditional, type RecordFinder } from './records.find.ts';
import { recordJson } from './records.json.ts';
import { selectRecordsJson } from './records.sql.ts';

/** Larger pages do not share a connection: they may have many megabytes. */
const quickPage = 20;

/** A page, newest first. */
export async function listRecords(
  db: Db,
  actor: Actor,
  visible: string[] | null,
  tokens: PageTokens,
  finder: RecordFinder,
  query: RecordsQuery,
): Promise<string> {
  if (isConditional(query)) return listFiltered(db, actor, tokens, finder, query);
  const { kanbanId, status, assignedUserId } = query;
  const size = pageSize(query.limit, limits.recordsPage);
  const scope = ['records', actor.accountId, kanbanId, status, assignedUserId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  // An impossible id is a filter that matches nothing.
  if ([kanbanId, assignedUserId].some((id) => id !== undefined && !isId(id))) return pageJson([], null);
  // By a board or none, an index has the page as it is. Other conditions may read many rows to fill it.
  const isPlain = status === undefined && assignedUserId === undefined && visible === null;
  const isQuick = isPlain && size <= quickPage;
  const rows = await selectRecordsJson(
    isQuick ? db.quick : db,
    actor.accountId,
    {
      kanbanId,
      status,
      assignedUserId,
      visibleKanbanIds: visible,
    },
    cursor && { createdAt: Number(cursor[0]), id: String(cursor[1]) },
    size + 1,
  );
  const page = cutPage(rows, size, (last) => tokens.issue([last.created_at, last.id], scope));
  return pageJson(
    page.items.map((row) => recordJson(row)),
    page.nextToken,
  );
}

/** By conditions or in another order: the search finds the page, the database returns its records. */
async function listFiltered(
  db: Reader,
  actor: Actor,
  tokens: PageTokens,
  finder: RecordFinder,
  { limit, nextToken, ...query }: RecordsQuery,
): Promise<string> {
  const { kanbanId, status, assignedUserId, filter, sort } = query;
  const scope = ['records', actor.accountId, kanbanId, status, assignedUserId, filter, sort];
  const after = nextToken === undefined ? null : tokens.read(nextToken, scope);
  const { ids, next } = await finder.findPage(actor, query, after, pageSize(limit, limits.recordsPage));
  const rows = await selectRecordsByIds(db, actor.accountId, ids);
  const items = ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [recordJson(row)] : [];
  });
  return pageJson(items, next && tokens.issue(next, scope));
}

function pageJson(items: readonly string[], nextToken: string | null): string {
  return `{"items":[${items.join(',')}],"nextToken":${JSON.stringify(nextToken)}}`;
}
