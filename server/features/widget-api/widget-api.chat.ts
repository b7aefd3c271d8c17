/** What a visitor can do in their conversation. The visitor's token alone identifies the conversation. */
import type { LanguageName } from '../../../contract/limits.ts';
import type { VisitorReceipt, VisitorSend, VisitorSent } from '../../../contract/widget/widget.ts';
import { type VisitorMessage, widgetLimits } from '../../../contract/widget/widget-protocol.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import type { PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { systemActor } from '../accounts/accounts.ts';
import type { Directory } from '../channels/channels.ts';
import {
  customerMayRead,
  findMessage,
  type Intake,
  messagesReached,
  namesFile,
  reactTo,
  selectForCustomer,
} from '../messages/messages.ts';
import { findSession, openVisitorSession, visitorName } from '../sessions/sessions.ts';
import { detailRequired, isWithoutAi, missingDetail } from './service/widget-api.offers.ts';
import type { Widget } from './widget-api.settings.sql.ts';
import { selectOwnUploads } from './widget-api.sql.ts';
import { type AgentNames, toVisitorMessage } from './widget-api.view.ts';
import type { Visitor } from './widget-api.visitor.ts';

/** The same as POST /messages, in the customer's own name. The widget's id of the message is its id at the provider. */
export async function receiveMessage(
  intake: Intake,
  widget: Widget,
  visitor: Visitor,
  { content, attachments, clientId, wantsPerson = false }: VisitorSend,
  { isOpen, address }: { isOpen: boolean; address: string },
): Promise<VisitorSent & { isRepeated: boolean }> {
  const { accountId, sessionId, userId, email } = visitor;
  const isOffDuty = isWithoutAi(widget, isOpen);
  const requestsPerson = wantsPerson && widget.talkToPerson;
  const { accepted, position, isRepeated } = await intake.send(
    systemActor(accountId),
    {
      content,
      attachments,
      fromChannelIdentifier: widget.identifier,
      channelType: 'web',
      sessionId,
      ...(userId !== null && { externalUserId: userId }),
    },
    {
      providerMsgId: clientId,
      // Only of a new conversation: an operator may have given it another name since.
      nameNew: (language) => nameOf(visitor, language),
      address,
      withoutAi: isOffDuty || requestsPerson,
      // A request raises the attention itself.
      needsPerson: isOffDuty && !requestsPerson,
      requestsPerson,
      // An unknown visitor may hold an older token with an older address.
      ...(email !== null && { customerEmail: { address: email, replaces: userId !== null } }),
    },
  );
  const { id, timestamp } = accepted.userMessage;
  return { id, position, at: timestamp, isRepeated };
}

/** Only before a conversation begins is it read at all: most channels ask for nothing. */
export async function requireDetails(
  db: Db,
  widget: Widget,
  visitor: Visitor,
  isOpen: boolean,
): Promise<void> {
  const missing = missingDetail(widget, visitor, isOpen);
  if (missing && !(await findSession(db, visitor.accountId, visitor.sessionId)))
    throw detailRequired(missing);
}

/** A visitor without a name gets a few letters of the id: the whole id would fill the card. */
function nameOf({ name, userId, sessionId }: Visitor, language: LanguageName): string | undefined {
  return name ?? (userId === null ? visitorName(language, sessionId) : undefined);
}

/** The response to a blocked visitor: the same as for everyone. */
export async function pretendReceived(db: Db, visitor: Visitor, now: number): Promise<VisitorSent> {
  const [last] = await selectForCustomer(db, visitor.accountId, visitor.sessionId, null, 1);
  return { id: newId(now), position: (last?.position ?? 0) + 1, at: now };
}

export async function requireOwnFiles(
  db: Db,
  { accountId, sessionId }: Visitor,
  attachments: VisitorSend['attachments'] = [],
): Promise<void> {
  if (attachments.length === 0) return;
  const keys = attachments.map(({ fileKey }) => fileKey);
  const own = new Set(await selectOwnUploads(db, accountId, sessionId, keys.filter(isId)));
  const index = keys.findIndex((key) => !own.has(key));
  if (index >= 0) throw badRequest(`attachments[${index}].fileKey does not belong to an uploaded file`);
}

/** One's own upload, or a file of a readable message of this conversation. */
export async function requireReadableFile(db: Db, visitor: Visitor, fileKey: string): Promise<void> {
  const { accountId, sessionId } = visitor;
  if (!isId(fileKey)) throw notFound('file');
  if ((await selectOwnUploads(db, accountId, sessionId, [fileKey])).length > 0) return;
  if (!(await namesFile(db, accountId, sessionId, fileKey))) throw notFound('file');
}

export interface HistoryPage {
  /** In the order of the chat. */
  messages: VisitorMessage[];
  older: string | null;
}

export async function readHistory(
  db: Db,
  tokens: PageTokens,
  agents: AgentNames,
  { accountId, sessionId }: Visitor,
  nextToken?: string,
): Promise<HistoryPage> {
  const scope = ['widget', accountId, sessionId];
  const before = nextToken === undefined ? null : Number(tokens.read(nextToken, scope)[0]);
  const rows = await selectForCustomer(db, accountId, sessionId, before, widgetLimits.page + 1);
  const page = rows.slice(0, widgetLimits.page).reverse();
  return {
    messages: page.map((message) => toVisitorMessage(message, agents)),
    older: rows.length > widgetLimits.page ? tokens.issue([page[0]!.position], scope) : null,
  };
}

/** Not sent if the visitor is blocked: operators see nothing of them. */
export async function receiveReceipt(
  tx: Tx,
  visitor: Visitor,
  { position, status }: VisitorReceipt,
  context: { directory: Directory; now: number },
): Promise<void> {
  const { accountId } = visitor;
  const { state, isBlocked } = await openVisitorSession(tx, visitor);
  if (!state || isBlocked()) return;
  const upTo = Math.min(position, state.messageCount);
  await messagesReached(tx, { ...context, accountId }, state, upTo, status as 'read');
}

export async function receiveReaction(
  tx: Tx,
  visitor: Visitor,
  messageId: string,
  emoji: string | null,
  now: number,
): Promise<void> {
  const { accountId, sessionId } = visitor;
  const { state, isBlocked } = await openVisitorSession(tx, visitor);
  const message = state && isId(messageId) ? await findMessage(tx, accountId, sessionId, messageId) : null;
  if (!message || !customerMayRead(message) || message.role === 'user') throw notFound('message');
  if (!isBlocked()) await reactTo(tx, accountId, message, emoji, now);
}
