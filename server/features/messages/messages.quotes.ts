/** A message that quotes another one of its conversation. */
import type { Tx } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { findMessage } from './messages.sql.ts';

/** Returns its id; null: none is quoted. Notes and held replies are not part of what the customer sees. */
export async function quotedMessage(
  tx: Tx,
  accountId: string,
  sessionId: string,
  id: string | null | undefined,
): Promise<string | null> {
  if (id === null || id === undefined) return null;
  const message = isId(id) ? await findMessage(tx, accountId, sessionId, id) : null;
  if (!message || message.isNote || message.held || message.role === 'system') {
    throw badRequest('replyToMessageId is not a message of this conversation');
  }
  return id;
}
