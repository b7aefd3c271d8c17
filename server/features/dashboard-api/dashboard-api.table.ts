/** A board as a table: rows by position, groups, and totals of everything that matches. */
import type {
  TableRows,
  TableRowsQuery,
  TableSummary,
  TableSummaryQuery,
} from '../../../contract/dashboard.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type Definitions, type KanbanDefinition, requireKanban } from '../kanbans/kanbans.ts';
import type { Search } from '../search/search.ts';
import { selectCardsByIds } from './dashboard-api.sql.ts';
import { conditionsOf, mayReadMessages } from './dashboard-api.ts';

interface Deps {
  db: Reader;
  search: Search;
}

export async function listTableRows(
  { db, search }: Deps,
  actor: Actor,
  definitions: Definitions,
  kanbanId: string,
  query: TableRowsQuery,
): Promise<TableRows> {
  const kanban = requireKanban(definitions, actor, kanbanId);
  const found = await search.findRows(
    actor,
    { ...conditionsOf(kanban.id, query), group: groupOf(kanban, query) },
    (query.first ?? 1) - 1,
    pageSize(query.limit, limits.recordsPage),
  );
  const items = await selectCardsByIds(db, actor.accountId, found.ids, mayReadMessages(actor));
  return { total: found.total, items };
}

export async function summarizeTable(
  { search }: Pick<Deps, 'search'>,
  actor: Actor,
  definitions: Definitions,
  kanbanId: string,
  query: TableSummaryQuery,
): Promise<TableSummary> {
  const kanban = requireKanban(definitions, actor, kanbanId);
  const groupBy = query.groupBy === undefined ? null : requireGroupField(kanban, query.groupBy);
  const summed = [...new Set(query.sumFieldIds?.split(',') ?? [])].filter((id) => id !== '');
  for (const id of summed) {
    const type = kanban.fields.get(id)?.type;
    if (type !== 'number' && type !== 'currency') {
      throw badRequest('sumFieldIds must be ids of number or currency fields of the kanban');
    }
  }
  const { all, groups } = await search.sumGroups(actor, conditionsOf(kanban.id, query), groupBy, summed);
  const named = ({ count, totals }: { count: number; totals: number[] }) => ({
    count,
    totals: Object.fromEntries(summed.map((id, index) => [id, totals[index]!])),
  });
  const shownValue = (value: string | null) => (isBoolean(kanban, groupBy) ? wordOf(value) : value);
  const order = orderOf(kanban, groupBy);
  const placeOf = ({ value }: { value: string | null }) => {
    if (value === null) return Number.MAX_SAFE_INTEGER;
    const place = order.indexOf(value);
    return place < 0 ? order.length : place;
  };
  return {
    ...named(all),
    groups: groups
      .map((group) => ({ value: shownValue(group.value), ...named(group) }))
      .sort((a, b) => placeOf(a) - placeOf(b) || compare(a.value, b.value)),
  };
}

const compare = (a: string | null, b: string | null) => ((a ?? '') < (b ?? '') ? -1 : 1);
const isBoolean = (kanban: KanbanDefinition, field: string | null) =>
  field !== null && kanban.fields.get(field)?.type === 'boolean';
/** In the index booleans are 0 and 1. */
const wordOf = (value: string | null) => (value === null ? null : value === '1' ? 'true' : 'false');

/** As on the board. Users have no order of their own. */
function orderOf(kanban: KanbanDefinition, groupBy: string | null): readonly string[] {
  if (groupBy === 'status') return kanban.statuses.map(({ value }) => value);
  if (isBoolean(kanban, groupBy)) return ['true', 'false'];
  return (groupBy !== null && kanban.fields.get(groupBy)?.options) || [];
}

function requireGroupField(kanban: KanbanDefinition, groupBy: string): string {
  const type = kanban.fields.get(groupBy)?.type;
  const isOwn = groupBy === 'status' || groupBy === 'assignedUserIds';
  if (isOwn || type === 'select' || type === 'boolean') return groupBy;
  throw badRequest(
    'groupBy must be status, assignedUserIds or the id of a select or boolean field of the kanban',
  );
}

function groupOf(
  kanban: KanbanDefinition,
  { groupBy, group }: TableRowsQuery,
): { field: string; value: string | null } | undefined {
  if (groupBy === undefined) {
    if (group !== undefined) throw badRequest('groupBy is required with group');
    return undefined;
  }
  const field = requireGroupField(kanban, groupBy);
  if (group === undefined) return undefined;
  if (group === '') return { field, value: null };
  if (!isBoolean(kanban, field)) return { field, value: group };
  if (group !== 'true' && group !== 'false') throw badRequest('group must be true, false or empty');
  return { field, value: group === 'true' ? '1' : '0' };
}
