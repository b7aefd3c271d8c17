/** Messages of a conversation that are sent later. */
import { queryOptions } from '@tanstack/react-query';
import type {
  ScheduledMessage,
  ScheduledMessageUpdate,
} from '../../../../../contract/messaging/scheduled.ts';
import { api, apiAll } from '../../../data/api.ts';
import { queryClient } from '../../../data/query-client.ts';
import { refresh } from '../../../data/refresh.ts';
import { t } from '../../../texts/texts.ts';
import { toast } from '../../../ui/overlays/toast.tsx';

/** When a message goes out, as the service takes it. */
export interface SendTime {
  sendAt: number;
  cancelOnReply: boolean;
}

const pathOf = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}/scheduled-messages`;

export const scheduledQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['scheduled', sessionId],
    queryFn: ({ signal }) => apiAll<ScheduledMessage>(pathOf(sessionId), {}, signal),
  });

export const rereadScheduled = (sessionId: string) => void refresh(scheduledQuery(sessionId).queryKey);

/** A message came or went: one that was scheduled may have been sent or cancelled. */
export function rereadIfScheduled(sessionId: string): void {
  const known = queryClient.getQueryData(scheduledQuery(sessionId).queryKey);
  if (known && known.length > 0) rereadScheduled(sessionId);
}

export async function changeScheduled(
  { id, sessionId }: ScheduledMessage,
  change: ScheduledMessageUpdate,
): Promise<boolean> {
  try {
    await api('PATCH', `${pathOf(sessionId)}/${id}`, { body: change });
    return true;
  } catch (error) {
    toast.failed(t('later.changeFailed'), error);
    return false;
  } finally {
    rereadScheduled(sessionId);
  }
}

export async function cancelScheduled({ id, sessionId }: ScheduledMessage): Promise<boolean> {
  try {
    await api('DELETE', `${pathOf(sessionId)}/${id}`);
    return true;
  } catch (error) {
    toast.failed(t('later.cancelFailed'), error);
    return false;
  } finally {
    rereadScheduled(sessionId);
  }
}
