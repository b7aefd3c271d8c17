/** What stays of scheduled messages that a message of the customer cancels: a line for the team, with their text. */
import { cancelledLine } from '../../../../contract/messaging/scheduled.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { newId } from '../../../platform/ids.ts';
import type { SessionState } from '../../sessions/sessions.ts';
import type { NewMessage } from '../messages.sql.ts';
import { type ScheduledRow, selectCancelled } from './messages.scheduled.sql.ts';

/** Behind the customer's message, under the conversation's lock. They are deleted when it is stored. */
export async function cancelledMessages(
  tx: Tx,
  accountId: string,
  session: SessionState,
  now: number,
): Promise<NewMessage[]> {
  const rows = await selectCancelled(tx, accountId, session.sessionId);
  return rows.map((row) => ({
    id: newId(now),
    position: ++session.messageCount,
    role: 'system',
    content: `${cancelledLine}\n${textOf(row)}`,
    timestamp: now,
  }));
}

const textOf = ({ content, attachments }: ScheduledRow): string =>
  content.trim() || attachments.map(({ fileName, fileKey }) => fileName ?? fileKey).join(', ');
