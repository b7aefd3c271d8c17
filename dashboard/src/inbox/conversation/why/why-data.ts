import { queryOptions } from '@tanstack/react-query';
import type { LoggedReply } from '../../../../../contract/messaging/messages.ts';
import { api, type Page } from '../../../data/api.ts';
import { keys } from '../../../data/queries.ts';

export const whyQuery = (sessionId: string, replyId: string) =>
  queryOptions({
    queryKey: [...keys.session(sessionId), 'why', replyId],
    queryFn: ({ signal }) =>
      api<Page<LoggedReply>>('GET', `/sessions/${encodeURIComponent(sessionId)}/replies`, {
        query: { replyId },
        signal,
      }),
  });
