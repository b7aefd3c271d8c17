/** What a chat and the panes beside it read. inbox-live.ts keeps it current. */
import { queryOptions } from '@tanstack/react-query';
import type { AiPause } from '../../../../contract/dashboard.ts';
import { downloadUrlMinutes } from '../../../../contract/limits.ts';
import type { DownloadAnswer } from '../../../../contract/messaging/attachments.ts';
import type { SessionChangeEntry } from '../../../../contract/messaging/lifecycle.ts';
import type { LoggedReply } from '../../../../contract/messaging/messages.ts';
import type { Session, SessionCounts } from '../../../../contract/messaging/sessions.ts';
import { api, type Page } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';

const pathOf = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}`;

/** By owner, of open conversations. */
export const countsQuery = queryOptions({
  queryKey: [...keys.sessions, 'counts'],
  queryFn: ({ signal }) => api<SessionCounts>('GET', '/sessions/counts', { signal }),
});

export const pausesKey = (sessionId: string) => [...keys.session(sessionId), 'pauses'];
/** Who took the conversation over and who handed it back. */
export const pausesQuery = (sessionId: string) =>
  queryOptions({
    queryKey: pausesKey(sessionId),
    queryFn: ({ signal }) =>
      api<{ items: AiPause[] }>('GET', `/inbox${pathOf(sessionId)}/pauses`, { signal }),
    select: ({ items }) => items,
  });

const changesShown = 100;
export const changesKey = (sessionId: string) => [...keys.session(sessionId), 'changes'];
/** Who resolved, snoozed, reopened or assigned the conversation; oldest first. */
export const changesQuery = (sessionId: string) =>
  queryOptions({
    queryKey: changesKey(sessionId),
    queryFn: ({ signal }) =>
      api<Page<SessionChangeEntry>>('GET', `${pathOf(sessionId)}/changes`, {
        query: { limit: changesShown },
        signal,
      }),
    select: ({ items }) => items.toReversed(),
  });

export const lastReplyQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...keys.session(sessionId), 'replies'],
    queryFn: ({ signal }) =>
      api<Page<LoggedReply>>('GET', `${pathOf(sessionId)}/replies`, { query: { limit: 10 }, signal }),
    select: (page) => page.items.find(({ outcome }) => outcome !== 'merged') ?? null,
  });

/** Of the same customer; the list matches parts of texts, the customer is the whole of one. */
export const sameCustomerQuery = (externalUserId: string | null) =>
  queryOptions({
    queryKey: [...keys.sessions, 'of-customer', externalUserId],
    queryFn: ({ signal }) =>
      api<Page<Session>>('GET', '/sessions', { query: { q: externalUserId, limit: 20 }, signal }),
    select: (page) => page.items.filter((session) => session.externalUserId === externalUserId),
    enabled: externalUserId !== null,
  });

/** A signed URL expires after an hour and is fetched again shortly before. */
export const fileRefreshMs = (downloadUrlMinutes - 5) * 60_000;

export const fileQuery = (fileKey: string) =>
  queryOptions({
    queryKey: ['file', fileKey],
    queryFn: ({ signal }) =>
      api<DownloadAnswer>('GET', `/attachments/${encodeURIComponent(fileKey)}`, { signal }),
    staleTime: fileRefreshMs,
    refetchInterval: fileRefreshMs,
  });

/** Whether the instance can send e-mail: that changes with a restart only. */
export const mailQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: ({ signal }) => api<{ isConfigured: boolean }>('GET', '/mail', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
