/** The board's cards with their counts, and the history of a record. */
import type {
  Activity,
  BoardSummary,
  BoardSummaryQuery,
  Card,
  CardsQuery,
  InboxSession,
} from '../../../contract/dashboard.ts';
import { limits } from '../../../contract/limits.ts';
import type { Session, SessionsQuery } from '../../../contract/messaging/sessions.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, may } from '../accounts/accounts.ts';
import { contactKey } from '../blocked-contacts/blocked-contacts.ts';
import { type Definitions, requireKanban } from '../kanbans/kanbans.ts';
import { isConditional, type RecordConditions, requireRecord } from '../records/records.ts';
import type { Search } from '../search/search.ts';
import { type ListDeps, listSessions, requireSession } from '../sessions/sessions.ts';
import {
  type CardActivityRow,
  type CardFilter,
  countColumns,
  selectCardActivity,
  selectCards,
  selectCardsByIds,
  selectChanges,
  selectInboxExtras,
  selectNames,
} from './dashboard-api.sql.ts';

export { handOverSaved, selectReplies } from './dashboard-api.saved.sql.ts';
export { createReply, createView } from './dashboard-api.saved.ts';

interface Deps {
  db: Reader;
  pageTokens: PageTokens;
  search: Search;
}

type Filters = Pick<CardsQuery, 'assignedUserId' | 'fieldId' | 'fieldValue' | 'q' | 'filter' | 'sort'>;

export async function listCards(
  { db, pageTokens, search }: Deps,
  actor: Actor,
  definitions: Definitions,
  kanbanId: string,
  query: CardsQuery,
): Promise<Page<Card>> {
  const { accountId } = actor;
  const kanban = requireKanban(definitions, actor, kanbanId);
  const { status, assignedUserId, fieldId, fieldValue, q, filter: conditions, sort } = query;
  const size = pageSize(query.limit, limits.recordsPage);
  const named = ['cards', accountId, kanban.id, status, assignedUserId, fieldId, fieldValue, q];
  const scope = isConditional(query) ? [...named, conditions, sort] : named;
  const cursor = query.nextToken === undefined ? null : pageTokens.read(query.nextToken, scope);
  if (isConditional(query)) {
    const { ids, next } = await search.findPage(
      actor,
      { ...conditionsOf(kanban.id, query), status },
      cursor,
      size,
    );
    const cards = await selectCardsByIds(db, accountId, ids, mayReadMessages(actor));
    return { items: cards, nextToken: next && pageTokens.issue(next, scope) };
  }
  const filter = await filterOf(search, actor, kanban.id, query);
  if (!filter) return { items: [], nextToken: null };
  const after = cursor && { createdAt: Number(cursor[0]), id: String(cursor[1]) };
  const cards = await selectCards(
    db,
    accountId,
    { ...filter, status },
    after,
    size + 1,
    mayReadMessages(actor),
  );
  return cutPage(cards, size, (last) => pageTokens.issue([last.createdAt, last.recordId], scope));
}

export async function listInbox(
  deps: ListDeps,
  actor: Actor,
  visible: string[] | null,
  query: SessionsQuery,
): Promise<Page<InboxSession>> {
  const page = await listSessions(deps, actor, visible, query);
  return { ...page, items: await withExtras(deps.db, actor.accountId, page.items) };
}

export async function requireInboxSession(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  sessionId: string,
): Promise<InboxSession> {
  const session = await requireSession(db, actor, visible, sessionId);
  const [found] = await withExtras(db, actor.accountId, [session]);
  return found!;
}

export async function withExtras(
  db: Reader,
  accountId: string,
  sessions: Session[],
): Promise<InboxSession[]> {
  if (sessions.length === 0) return [];
  const wanted = sessions.map(({ sessionId }) => ({ sessionId, sessionKey: contactKey(sessionId) }));
  const extras = await selectInboxExtras(db, accountId, wanted);
  const byId = new Map(extras.map((extra) => [extra.sessionId, extra]));
  return sessions.map((session) => ({
    ...session,
    blocked: byId.get(session.sessionId)?.blocked ?? false,
    lastMessage: byId.get(session.sessionId)?.lastMessage ?? null,
  }));
}

export async function summarizeBoard(
  { db, search }: Deps,
  actor: Actor,
  definitions: Definitions,
  kanbanId: string,
  query: BoardSummaryQuery,
): Promise<BoardSummary> {
  const kanban = requireKanban(definitions, actor, kanbanId);
  const { sumFieldId } = query;
  const summed = sumFieldId === undefined ? null : kanban.fields.get(sumFieldId);
  if (summed !== null && summed?.type !== 'currency' && summed?.type !== 'number') {
    throw badRequest('sumFieldId must be a number or currency field of the kanban');
  }
  const found = await countsOf({ db, search }, actor, kanban.id, query);
  const byStatus = new Map(found.map((column) => [column.status, column]));
  const empty = { count: 0, total: summed ? 0 : null };
  const columns = kanban.statuses.map(({ value }) => byStatus.get(value) ?? { status: value, ...empty });
  return { count: found.reduce((sum, column) => sum + column.count, 0), columns };
}

async function countsOf(
  { db, search }: Pick<Deps, 'db' | 'search'>,
  actor: Actor,
  kanbanId: string,
  query: BoardSummaryQuery,
): Promise<BoardSummary['columns']> {
  const sumFieldId = query.sumFieldId ?? null;
  if (isConditional(query)) {
    const sums = await search.sumColumns(actor, conditionsOf(kanbanId, query), sumFieldId);
    return sums.map((column) => ({ ...column, total: sumFieldId === null ? null : column.total }));
  }
  const filter = await filterOf(search, actor, kanbanId, query);
  return filter ? countColumns(db, actor.accountId, filter, sumFieldId) : [];
}

/** A caller who may read records may lack the right to read messages. */
export const mayReadMessages = (actor: Actor) => may(actor, 'conversations.view');

export function conditionsOf(kanbanId: string, query: Filters): RecordConditions {
  const { assignedUserId, q, filter, sort } = query;
  return { kanbanId, assignedUserId, q, filter, sort, lookup: fieldOf(query) };
}

function fieldOf({ fieldId, fieldValue }: Filters): { id: string; value: string } | undefined {
  if (fieldId !== undefined && fieldValue !== undefined) return { id: fieldId, value: fieldValue };
  if (fieldId === undefined && fieldValue === undefined) return undefined;
  throw badRequest(
    fieldId === undefined ? 'fieldId is required with fieldValue' : 'fieldValue is required with fieldId',
  );
}

/** Null: nothing can match. */
async function filterOf(
  search: Search,
  actor: Actor,
  kanbanId: string,
  query: Filters,
): Promise<CardFilter | null> {
  const { assignedUserId, q } = query;
  const field = fieldOf(query);
  if (assignedUserId !== undefined && !isId(assignedUserId)) return null;
  const ids = q === undefined || q.trim() === '' ? undefined : await search.findIds(actor, q, kanbanId);
  return { kanbanId, assignedUserId, field, ids };
}

/** Actors that are not users: the service itself, and the demo. */
export const fixedNames: { [id: string]: string } = { system: 'Talkboard', demo: 'Demo' };

/**
 * The changes from events, as long as events are kept (30 days by default), merged with the tasks and comments, and
 * finally the creation, which the record itself stores. A page token holds the place in both lists.
 */
export async function listActivity(
  { db, pageTokens }: Pick<Deps, 'db' | 'pageTokens'>,
  actor: Actor,
  visible: string[] | null,
  recordId: string,
  query: { limit?: number; nextToken?: string },
): Promise<Page<Activity>> {
  const { accountId } = actor;
  const record = await requireRecord(db, actor, visible, recordId);
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['activity', accountId, recordId];
  const [sequence, at, id] = query.nextToken === undefined ? [] : pageTokens.read(query.nextToken, scope);
  const place = {
    sequence: sequence === undefined || sequence === '' ? null : Number(sequence),
    of: at === undefined || at === '' ? null : { at: Number(at), id: String(id) },
  };
  const [changes, others] = await Promise.all([
    selectChanges(db, accountId, recordId, place.sequence, size + 1),
    selectCardActivity(db, accountId, recordId, place.of, size + 1),
  ]);
  const merged: ((typeof changes)[number] | CardActivityRow)[] = [];
  while (merged.length <= size && (changes.length > 0 || others.length > 0)) {
    const isChange = others.length === 0 || (changes.length > 0 && changes[0]!.at >= others[0]!.at);
    merged.push(isChange ? changes.shift()! : others.shift()!);
  }
  const page = cutPage(merged, size, () => {
    for (const one of merged.slice(0, size)) {
      if ('sequence' in one) place.sequence = one.sequence;
      else place.of = { at: one.at, id: one.id };
    }
    return pageTokens.issue([place.sequence ?? '', place.of?.at ?? '', place.of?.id ?? ''], scope);
  });
  const ids = [...page.items.map(({ by }) => by), record.createdBy].filter(isId);
  const names = await selectNames(db, accountId, [...new Set(ids)]);
  const by = (userId: string) => ({ id: userId, name: names.get(userId) ?? fixedNames[userId] ?? null });
  const nothing = { fieldId: null, fieldName: null, oldValue: null, newValue: null, text: null };
  const items: Activity[] = page.items.map((one) => {
    if (!('sequence' in one)) return { ...nothing, ...one, by: by(one.by) };
    const { sequence: _sequence, ...change } = one;
    return { ...change, by: by(change.by) };
  });
  if (page.nextToken === null) {
    items.push({
      ...nothing,
      id: record.recordId,
      kind: 'created',
      at: record.createdAt,
      by: by(record.createdBy),
    });
  }
  return { items, nextToken: page.nextToken };
}
