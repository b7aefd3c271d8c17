/** What other features may use of messages. */
import { limits } from '../../../contract/limits.ts';
import type { Message } from '../../../contract/messages.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader } from '../../platform/db/db.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { type StoredMessage, selectMessages } from './messages.sql.ts';

export { commitConversation, endWaitForTranscript, replyJobKind } from './messages.commit.sql.ts';
export {
  customerMayRead,
  markReached,
  namesFile,
  selectChangedForCustomer,
  selectForCustomer,
} from './messages.customer.sql.ts';
export { countingDrops } from './messages.drops.ts';
export { forwardedAs, messageEvent } from './messages.events.ts';
export { createIntake, type Intake } from './messages.intake.ts';
export { insertPastMessages } from './messages.past.sql.ts';
export { eraseEarlyReceipts, pruneEarlyReceipts } from './messages.receipts.sql.ts';
export { reactTo } from './messages.receipts.ts';
export { commitOutgoing, sendOperatorReply } from './messages.reply.ts';
export {
  deleteMessage,
  findMessage,
  type NewMessage,
  patchMessageAttachment,
  type StoredMessage,
  selectMessages,
  selectMessagesByKeys,
  selectNotesForAi,
  updateNote,
} from './messages.sql.ts';
export { moveSession } from './messages.transfer.ts';
export { convertJobKind, isAudio, transcribeJobKind, wantsTranscript } from './messages.voice.ts';

export async function listMessages(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  sessionId: string,
  query: { order?: string; limit?: number; nextToken?: string },
): Promise<Page<Message>> {
  const order = query.order === 'asc' ? 'asc' : 'desc';
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['messages', accountId, sessionId, order];
  const after = query.nextToken === undefined ? null : Number(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectMessages(db, accountId, sessionId, order, after, size + 1);
  const page = cutPage(rows, size, (last) => tokens.issue([last.position], scope));
  return { items: page.items.map(toMessage), nextToken: page.nextToken };
}

export function toMessage({
  position: _position,
  updatedAt: _updatedAt,
  ...message
}: StoredMessage): Message {
  return message;
}
