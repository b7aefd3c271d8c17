/** A line in a conversation for operators: the customer sees nothing of it. */
import type { Tx } from '../../../platform/db/db.ts';
import { newId } from '../../../platform/ids.ts';
import { commitConversations } from '../../messages/messages.ts';
import type { SessionState } from '../../sessions/sessions.ts';

export async function addNotice(
  tx: Tx,
  { accountId, now: clockNow }: { accountId: string; now: number },
  state: SessionState,
  content: string,
  data?: Record<string, unknown>,
): Promise<void> {
  const now = Math.max(clockNow, state.lastMessageAt);
  const position = state.messageCount + 1;
  await commitConversations(
    tx,
    accountId,
    [
      {
        session: { ...state, messageCount: position, updatedAt: now },
        isNewSession: false,
        messages: [
          { id: newId(now), position, role: 'system', content, timestamp: now, ...(data && { data }) },
        ],
        record: null,
        reply: null,
        events: [],
      },
    ],
    null,
  );
}
