import { useQuery } from '@tanstack/react-query';
import type { InboxSession, SavedReply } from '../../../../../contract/dashboard.ts';
import { useKanbans } from '../../../data/queries.ts';
import { useMay, useSignedIn } from '../../../data/session.ts';
import { recordQuery } from '../../../record/record-data.ts';
import { customerName } from '../../../texts/customer-name.ts';
import { fillPlaceholders } from './placeholders.ts';

/** What placeholders are filled from. */
export type ReplyPlace = Pick<
  InboxSession,
  'sessionId' | 'sessionName' | 'externalUserId' | 'recordId' | 'kanbanId'
>;

/** The text of a saved reply, or of a suggestion that may be one, for this customer. */
export function useFilled(session: ReplyPlace): (reply: Pick<SavedReply, 'text'>) => string {
  const { user } = useSignedIn();
  const seesRecords = useMay('records.view');
  const boards = useKanbans();
  const { data: record } = useQuery({
    ...recordQuery(session.recordId ?? ''),
    enabled: session.recordId !== null && seesRecords,
  });
  const kanban = boards.find(({ id }) => id === session.kanbanId);
  return (reply) =>
    fillPlaceholders(reply.text, {
      customer: customerName(session),
      operator: user.name,
      board: kanban?.name ?? '',
      ...(record && { record }),
      ...(kanban && { kanban }),
    });
}
