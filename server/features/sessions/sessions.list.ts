/** Lists of conversations: filtered, in several orders, page by page. */
import { limits } from '../../../contract/limits.ts';
import {
  type Session,
  type SessionStatus,
  type SessionsQuery,
  sessionStatuses,
} from '../../../contract/messaging/sessions.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import { peopleTerms } from '../../../contract/shapes/people-search.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Reader } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { Page, PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, personOf } from '../accounts/accounts.ts';
import type { SessionFilters } from './sessions.filters.ts';
import { findLabelCondition } from './sessions.labels.sql.ts';
import {
  countSessions,
  type ListedSession,
  type ListFilter,
  type ListPlace,
  listParts,
  type SessionFilterAt,
  selectPossibleIds,
  selectSessions,
} from './sessions.list.sql.ts';

/** Of conversations that the database cannot decide. */
const sessionsAtOnce = 200;
const mostExamined = 1_000;
const countedAtOnce = 500;

export interface ListDeps {
  db: Reader;
  clock: Pick<Clock, 'now'>;
  pageTokens: PageTokens;
  sessionFilters: SessionFilters;
}

export async function listSessions(
  deps: ListDeps,
  actor: Actor,
  visible: string[] | null,
  query: SessionsQuery,
): Promise<Page<Session>> {
  const { db, pageTokens: tokens, clock, sessionFilters } = deps;
  const { channelId, kanbanId, agentId, recordId, contactId, aiPaused, needsAttention, unread, q } = query;
  const { sla, sort = 'latest', filter: conditionText } = query;
  const size = pageSize(query.limit, limits.listPage);
  const { status, assignedUserId, teamId, label } = query;
  const filters = [channelId, kanbanId, agentId, recordId, aiPaused, needsAttention, unread, q];
  const scope = ['sessions', actor.accountId, ...filters, status, assignedUserId, teamId, label, contactId];
  if (sla !== undefined || sort !== 'latest') scope.push(sla, sort);
  if (conditionText !== undefined) scope.push(conditionText);
  const conditions = conditionText === undefined ? null : sessionFilters.read(actor, parsed(conditionText));
  const [at, sessionId, part = 0, moment = clock.now()] =
    query.nextToken === undefined ? [] : tokens.read(query.nextToken, scope);
  const owner = assignedUserId === 'me' ? (personOf(actor)?.id ?? 'none') : assignedUserId;
  const ids = [channelId, kanbanId, agentId, recordId, contactId, noneIsAbsent(owner), noneIsAbsent(teamId)];
  const statuses = statusesOf(status);
  if (ids.some((id) => id !== undefined && !isId(id))) return { items: [], nextToken: null };
  const labelled = label === undefined ? undefined : await findLabelCondition(db, actor.accountId, label);
  if (labelled === null) return { items: [], nextToken: null };
  const filter: ListFilter = {
    channelId,
    kanbanId,
    agentId,
    recordId,
    contactId,
    aiPaused,
    needsAttention,
    unread,
    statuses,
    assignedUserId: noneIsNull(owner),
    teamId: noneIsNull(teamId),
    label: labelled,
    people: q === undefined ? [] : peopleTerms(q),
    visibleKanbanIds: visible,
    sla,
    conditions: conditions && (await conditions.at(Number(moment))),
  };
  const after = at === undefined ? null : { at: Number(at), sessionId: String(sessionId) };
  const found = await findPage(deps, actor.accountId, filter, sort, { part: Number(part), after }, size);
  return {
    items: found.items,
    // A page belongs to the moment of the first one.
    nextToken:
      found.next &&
      tokens.issue(
        [found.next.after?.at ?? '', found.next.after?.sessionId ?? '', found.next.part, Number(moment)],
        scope,
      ),
  };
}

/** How many conversations match each filter (null: all), up to `max`. */
export async function countMatching(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  filters: readonly (SessionFilterAt | null)[],
  max: number,
): Promise<number[]> {
  const exact = filters.filter((filter) => filter?.isExact ?? true);
  const counts = await countSessions(db, accountId, visible, exact, max);
  const all: number[] = [];
  for (const filter of filters) {
    const isExact = filter?.isExact ?? true;
    all.push(isExact ? counts.shift()! : await countOneByOne(db, accountId, visible, filter!, max));
  }
  return all;
}

/** The database cannot decide all of them. */
async function countOneByOne(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  filter: SessionFilterAt,
  max: number,
): Promise<number> {
  let count = 0;
  for (let after = ''; count < max; ) {
    const rows = await selectPossibleIds(db, accountId, visible, filter, after, countedAtOnce);
    const open = rows.filter(({ isOpen }) => isOpen).map(({ sessionId }) => sessionId);
    const refused = open.length > 0 ? await filter.refused(open) : new Set();
    count += rows.length - refused.size;
    if (rows.length < countedAtOnce) break;
    after = rows.at(-1)!.sessionId;
  }
  return Math.min(count, max);
}

interface Place {
  part: number;
  after: ListPlace | null;
}

/** Fewer than a page, with a next one: the conditions had to be decided for many that they do not match. */
async function findPage(
  { db }: ListDeps,
  accountId: string,
  filter: ListFilter,
  sort: keyof typeof listParts,
  from: Place,
  size: number,
): Promise<{ items: Session[]; next: Place | null }> {
  const parts = listParts[sort];
  const isExact = filter.conditions?.isExact ?? true;
  /** One that has gone from one part to the other between two statements comes once. */
  const found = new Map<string, { session: ListedSession; part: number }>();
  let { part, after } = from;
  for (let examined = 0; found.size <= size && part < parts.length; ) {
    if (examined >= mostExamined) return { items: shown([...found.values()]), next: { part, after } };
    const wanted = isExact ? size + 1 - found.size : sessionsAtOnce;
    const rows = await selectSessions(db, accountId, filter, parts[part]!, after, wanted);
    if (!isExact) examined += rows.length;
    const open = rows.filter(({ isOpen }) => isOpen).map(({ sessionId }) => sessionId);
    const refused = open.length > 0 ? await filter.conditions!.refused(open) : new Set();
    for (const session of rows) {
      if (!refused.has(session.sessionId) && !found.has(session.sessionId)) {
        found.set(session.sessionId, { session, part });
      }
    }
    if (rows.length < wanted) {
      part++;
      after = null;
    } else after = placeOf(rows.at(-1)!);
  }
  const all = [...found.values()];
  if (all.length <= size) return { items: shown(all), next: null };
  const last = all[size - 1]!;
  return { items: shown(all.slice(0, size)), next: { part: last.part, after: placeOf(last.session) } };
}

const placeOf = ({ listedAt, sessionId }: ListedSession): ListPlace => ({ at: listedAt, sessionId });

const shown = (found: readonly { session: ListedSession }[]): Session[] =>
  found.map(({ session: { listedAt: _at, isOpen: _isOpen, ...session } }) => session);

/** What is no JSON is refused with the form. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const noneIsAbsent = (id: string | undefined) => (id === 'none' ? undefined : id);
const noneIsNull = (id: string | undefined) => (id === 'none' ? null : id);

function statusesOf(text: string | undefined): SessionStatus[] | undefined {
  const given = text?.split(',').map((one) => one.trim());
  if (given?.every(isStatus) === false)
    throw badRequest(`status must be one of ${sessionStatuses.join(', ')}`);
  return given as SessionStatus[] | undefined;
}

const isStatus = (text: string): text is SessionStatus => sessionStatuses.includes(text as never);
