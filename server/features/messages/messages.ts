/** What other features may use of messages. */
import { limits } from '../../../contract/limits.ts';
import type { Message, MessagesPage } from '../../../contract/messaging/messages.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader } from '../../platform/db/db.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { cutPage, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { citationsShown, withCurrentAudience } from '../knowledge/knowledge.ts';
import { findMessage, type StoredMessage, selectMessages } from './messages.sql.ts';

export { type ConversationChange, commitConversations, replyJobKind } from './messages.commit.sql.ts';
export { onOutbound, queueOutbound, wakeOutbound } from './messages.connectors.sql.ts';
export {
  customerMayRead,
  namesFile,
  selectChangedForCustomer,
  selectForCustomer,
} from './messages.customer.sql.ts';
export { countingDrops, createIntake, type Intake } from './messages.intake.ts';
export { insertPastMessages } from './messages.past.sql.ts';
export { findByProvider, placeBefore } from './messages.place.sql.ts';
export { mayQuote } from './messages.quotes.ts';
export {
  dropMessage,
  type MessageTemplate,
  outgoingChange,
  sendOperatorReply,
} from './messages.reply.ts';
export {
  countAgentReplies,
  findMessage,
  type NewMessage,
  patchMessageData,
  type StoredMessage,
  selectMessages,
  selectMessagesByKeys,
  selectNotesForAi,
} from './messages.sql.ts';
export { moveSession, transferSession } from './messages.transfer.ts';
export { isAudio } from './messages.voice.ts';
export { createNote, type NoteContext } from './notes/notes.ts';
export { requireSendAt, scheduleMessage } from './outgoing/messages.scheduled.ts';
export { isWindowClosed, windowClosedIn, windowClosedReason } from './outgoing/messages.window.ts';
export {
  messageFailed,
  partSent,
  receiveReaction,
  receiveStatus,
  resetDelivery,
} from './receipts/messages.delivery.ts';
export { findSentPart, selectLinkedIds, selectParts } from './receipts/messages.parts.sql.ts';
export { eraseEarlyReceipts, pruneEarlyReceipts } from './receipts/messages.receipts.sql.ts';
export { reactTo } from './receipts/messages.receipts.ts';
export {
  isContentGone,
  messagesReached,
  removeContent,
  type UpdateContext,
  updateMessage,
} from './receipts/messages.updates.ts';
export { receiveWatermark } from './receipts/messages.watermark.ts';
export {
  admitTranscript,
  requestTranscript,
  requireMail,
  requireRecipient,
  transcriptJobKind,
} from './transcripts/transcripts.ts';
export { convertToOpus, type VoiceContext } from './voice/voice.ts';

export async function listMessages(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  sessionId: string,
  query: { order?: string; limit?: number; nextToken?: string; around?: string },
  seesInternal: boolean,
): Promise<MessagesPage> {
  if (query.around !== undefined) {
    if (query.nextToken !== undefined) throw badRequest('around and nextToken cannot be used together');
    return listAround(db, accountId, tokens, sessionId, { ...query, around: query.around }, seesInternal);
  }
  const order = query.order === 'asc' ? 'asc' : 'desc';
  const size = pageSize(query.limit, limits.listPage);
  const scope = scopeOf(accountId, sessionId, order);
  const after = query.nextToken === undefined ? null : Number(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectMessages(db, accountId, sessionId, order, after, size + 1);
  const page = cutPage(rows, size, (last) => tokens.issue([last.position], scope));
  return { items: await toMessages(db, accountId, page.items, seesInternal), nextToken: page.nextToken };
}

const scopeOf = (accountId: string, sessionId: string, order: 'asc' | 'desc') => [
  'messages',
  accountId,
  sessionId,
  order,
];

/** A page with the message in its middle; its tokens lead on in both directions. */
async function listAround(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  sessionId: string,
  query: { order?: string; limit?: number; around: string },
  seesInternal: boolean,
): Promise<MessagesPage> {
  const message = isId(query.around) ? await findMessage(db, accountId, sessionId, query.around) : null;
  if (!message) throw notFound('message');
  const size = pageSize(query.limit, limits.listPage);
  const after = Math.floor((size - 1) / 2);
  const before = size - after;
  const [newer, older] = await Promise.all([
    selectMessages(db, accountId, sessionId, 'asc', message.position, after + 1),
    selectMessages(db, accountId, sessionId, 'desc', message.position + 1, before + 1),
  ]);
  const token = (order: 'asc' | 'desc') => (last: StoredMessage) =>
    tokens.issue([last.position], scopeOf(accountId, sessionId, order));
  const page = {
    asc:
      after === 0
        ? { items: [], nextToken: newer.length > 0 ? token('asc')(message) : null }
        : cutPage(newer, after, token('asc')),
    desc: cutPage(older, before, token('desc')),
  };
  const found = [...page.asc.items.toReversed(), ...page.desc.items];
  const items = await toMessages(db, accountId, found, seesInternal);
  return query.order === 'asc'
    ? { items: items.reverse(), nextToken: page.asc.nextToken, previousToken: page.desc.nextToken }
    : { items, nextToken: page.desc.nextToken, previousToken: page.asc.nextToken };
}

/** `seesInternal`: the reader has the permission `knowledge.view`. */
export async function toMessages(
  db: Reader,
  accountId: string,
  messages: readonly StoredMessage[],
  seesInternal: boolean,
): Promise<Message[]> {
  const current = seesInternal ? messages : await withCurrentAudience(db, messages, () => accountId);
  return current.map((one) => toMessage(one, seesInternal));
}

/** For messages with their current audience. */
export function toMessage(
  { position: _position, updatedAt: _updatedAt, citations, ...message }: StoredMessage,
  seesInternal: boolean,
): Message {
  return citations ? { ...message, citations: citationsShown(citations, seesInternal) } : message;
}
