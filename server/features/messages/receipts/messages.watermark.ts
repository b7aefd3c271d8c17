/** "Everything up to then is read": some providers report times instead of messages. */
import type { Tx } from '../../../platform/db/db.ts';
import type { SessionState } from '../../sessions/sessions.ts';
import { receiveStatus } from './messages.delivery.ts';
import { selectOpenParts } from './messages.parts.sql.ts';
import type { UpdateContext } from './messages.updates.ts';

export interface Watermark {
  status: 'delivered' | 'read';
  at: number;
}

const earlier = { delivered: ['sent'], read: ['sent', 'delivered'] } as const;

/** In a conversation that is open for writing. Forward only, and nothing that failed. Returns it as written. */
export async function receiveWatermark(
  tx: Tx,
  context: UpdateContext,
  state: SessionState,
  { status, at }: Watermark,
): Promise<SessionState> {
  let session = state;
  for (let before: number | null = null; ; ) {
    const parts = await selectOpenParts(tx, context.accountId, state.sessionId, {
      statuses: earlier[status],
      sentUntil: at,
      before,
    });
    if (parts.length === 0) return session;
    for (const { providerMsgId } of parts) {
      const received = await receiveStatus(tx, context, session, { providerMsgId, status, reason: null });
      session = received?.session ?? session;
    }
    before = parts[0]!.position;
  }
}
