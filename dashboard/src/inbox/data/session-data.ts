/** Conversations in the store: queries of the inbox's lists and of the open one, and how they are kept current. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { api, type Page } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { addKind, findThing, hear, newer } from '../../data/store/entities.ts';
import {
  addList,
  addOne,
  hasInPages,
  type Ids,
  type One,
  ofKind,
  readPage,
  selectOne,
  selectPages,
  withId,
  withoutId,
} from '../../data/store/lists.ts';
import { type InboxFilter, matchesFilter, nextDue } from './inbox-filter.ts';

addKind('session', {
  idOf: ({ sessionId }) => sessionId,
  // `blocked` has no version, and only answers have it: also one that is older than a live change.
  joined(heard, known) {
    const { blocked = known?.blocked ?? false, lastMessage = known?.lastMessage ?? null } = heard;
    const isOlder = known !== undefined && newer<Session>(heard, known) === known;
    return isOlder
      ? { ...known, blocked, lastMessage: known.lastMessage ?? lastMessage }
      : { ...heard, blocked, lastMessage };
  },
});

const select = selectPages('session');
const selectSession = selectOne('session');

export const inboxQuery = (filter: InboxFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.sessions, 'inbox', filter],
    queryFn: async ({ pageParam, signal }) => {
      const { show, status, q, channelId, agentId, kanbanId, teamId, labelIds, owner, sla } = filter;
      const page = await api<Page<InboxSession>>('GET', '/inbox/sessions', {
        query: {
          q,
          channelId,
          agentId,
          kanbanId,
          status: status === 'all' ? undefined : status,
          teamId,
          label: labelIds?.join(','),
          assignedUserId: owner && (owner === 'mine' ? 'me' : 'none'),
          unread: show === 'unread' || undefined,
          needsAttention: show === 'attention' || undefined,
          aiPaused: show === 'paused' || undefined,
          sla,
          sort: sla === 'due' ? 'due_next' : undefined,
          nextToken: pageParam,
        },
        signal,
      });
      return readPage('session', page);
    },
    select,
    ...ofKind('session'),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
  });

addList<'session', Ids>({
  kind: 'session',
  isOf: ([sessions, inbox]) => sessions === 'sessions' && inbox === 'inbox',
  has: hasInPages,
  placed(data, session, { key }) {
    const { sessionId, unread } = session;
    const filter = key[2] as InboxFilter;
    // A conversation that was just read stays in the unread list until the user leaves it: rows must not vanish under the pointer.
    const stays = filter.show === 'unread' && unread === 0 && hasInPages(data, sessionId);
    const without = withoutId(data, sessionId);
    if (!matchesFilter(session, stays ? { ...filter, show: 'all' } : filter)) return without;
    return withId(without, sessionId, (id) => {
      const other = findThing('session', id);
      return (
        other !== null && (filter.sla === 'due' ? isDueBefore(session, other) : isBefore(session, other))
      );
    });
  },
});

/** The order of the service. */
const isBefore = (a: InboxSession, b: InboxSession) =>
  a.lastMessageAt === b.lastMessageAt ? a.sessionId > b.sessionId : a.lastMessageAt > b.lastMessageAt;

const isDueBefore = (a: InboxSession, b: InboxSession) =>
  (nextDue(a) ?? Number.POSITIVE_INFINITY) < (nextDue(b) ?? Number.POSITIVE_INFINITY);

export const sessionQuery = (sessionId: string) =>
  queryOptions({
    queryKey: keys.session(sessionId),
    queryFn: async ({ signal }): Promise<One> => {
      const path = `/inbox/sessions/${encodeURIComponent(sessionId)}`;
      return { id: hear('session', await api<InboxSession>('GET', path, { signal }), { isRead: true }) };
    },
    // The list has it already: the chat opens at once.
    initialData: () => (findThing('session', sessionId) ? { id: sessionId } : undefined),
    initialDataUpdatedAt: 0,
    select: selectSession,
    ...ofKind('session'),
  });

addOne('session', (key) => key[0] === 'session' && key.length === 2);
