/** A message that quotes another one of its conversation. */
import type { Reader, Tx } from '../../platform/db/db.ts';
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
  if (!(await mayQuote(tx, accountId, sessionId, id))) {
    throw badRequest('replyToMessageId is not a message of this conversation');
  }
  return id;
}

export async function mayQuote(
  db: Reader,
  accountId: string,
  sessionId: string,
  id: string,
): Promise<boolean> {
  const message = isId(id) ? await findMessage(db, accountId, sessionId, id) : null;
  return message !== null && !message.isNote && !message.held && message.role !== 'system';
}
