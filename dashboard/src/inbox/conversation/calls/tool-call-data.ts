/** The agent's calls of tools in a conversation. inbox-live.ts keeps them current. */
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../../../../contract/messaging/sessions.ts';
import type { ToolCallEntry } from '../../../../../contract/tool-calls.ts';
import { api, type Page } from '../../../data/api.ts';
import { keys } from '../../../data/queries.ts';
import { queryClient } from '../../../data/query-client.ts';
import { refresh } from '../../../data/refresh.ts';

export const toolCallsPath = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}/tool-calls`;

/** The newest ones; an older call that still waits would have expired. */
export const toolCallsQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...keys.session(sessionId), 'tool-calls'],
    queryFn: ({ signal }) =>
      api<Page<ToolCallEntry>>('GET', toolCallsPath(sessionId), { query: { limit: 100 }, signal }),
    select: ({ items }) => items,
  });

const loadedCalls = (sessionId: string): readonly ToolCallEntry[] =>
  queryClient.getQueryData(toolCallsQuery(sessionId).queryKey)?.items ?? [];

export const hasWaitingCall = (sessionId: string): boolean =>
  loadedCalls(sessionId).some(({ state }) => state === 'waiting');

/** The answer of a decision. */
export function hearToolCall(sessionId: string, call: ToolCallEntry): void {
  queryClient.setQueryData(
    toolCallsQuery(sessionId).queryKey,
    (page) => page && { ...page, items: page.items.map((one) => (one.id === call.id ? call : one)) },
  );
}

/** A call has no live change of its own: when it is requested, decided, cancelled or over, its conversation changes. */
export function readCallsIfChanged(
  { sessionId, needsAttention }: Session,
  known: { needsAttention: boolean } | null,
): void {
  const isUnderWay = loadedCalls(sessionId).some(({ state }) => state === 'waiting' || state === 'running');
  if (isUnderWay || known?.needsAttention !== needsAttention) void readCalls(sessionId);
}

export const readCalls = (sessionId: string) => refresh(toolCallsQuery(sessionId).queryKey);
