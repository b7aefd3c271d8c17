/** Messages of people that are sent later: scheduling, changing and cancelling them. */
import { limits } from '../../../../contract/limits.ts';
import type { ScheduledMessage, ScheduledMessageUpdate } from '../../../../contract/messaging/scheduled.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { type Actor, audit, personOf } from '../../accounts/accounts.ts';
import { attachFiles, fileReaderOf } from '../../attachments/attachments.ts';
import { requireOpenSession, type SessionState, updateSession } from '../../sessions/sessions.ts';
import { quotedMessage } from '../messages.quotes.ts';
import {
  checkMail,
  checkOperatorMessage,
  type MessageTemplate,
  type OperatorMessage,
  type ReplyContext,
  requireEnabled,
} from '../messages.reply.ts';
import {
  countScheduled,
  deleteScheduled,
  findScheduled,
  insertScheduled,
  type ScheduledRow,
  selectScheduled,
  updateScheduled,
} from './messages.scheduled.sql.ts';

export interface LaterMessage extends OperatorMessage {
  sendAt: number;
  cancelOnReply?: boolean;
}

export function requireSendAt({ sendAt, cancelOnReply }: Partial<LaterMessage>): void {
  if (cancelOnReply && sendAt === undefined) throw badRequest('cancelOnReply needs sendAt');
}

const longestMs = 366 * 24 * 3_600_000;

/** The block, the channel and the window are checked again when it is sent. The window may be open by then. */
export async function scheduleMessage(
  tx: Tx,
  context: ReplyContext,
  place: { channelId: string; sessionId: string },
  input: LaterMessage,
  template: MessageTemplate | null = null,
): Promise<ScheduledMessage> {
  const { actor, now, visible, directory } = context;
  const { accountId } = actor;
  const { sessionId } = place;
  const { state, requireNotBlocked } = await requireOpenSession(tx, actor, visible, sessionId);
  if (state.channelId !== place.channelId) throw notFound('session');
  checkOperatorMessage(input);
  checkTime(input.sendAt, now);
  requireNotBlocked();
  requireEnabled(directory, state.channelId);
  checkMail(directory, state.channelId, input.mail);
  if ((await countScheduled(tx, accountId, sessionId)) >= limits.scheduledPerSession) {
    throw conflict(`a conversation has at most ${limits.scheduledPerSession} scheduled messages`);
  }
  const reader = fileReaderOf(actor, visible);
  const row: ScheduledRow = {
    id: newId(now),
    sessionId,
    sendAt: input.sendAt,
    content: input.content ?? '',
    attachments: await attachFiles(tx, accountId, input.attachments, now, reader),
    template,
    mail: input.mail ?? null,
    replyToMessageId: await quotedMessage(tx, accountId, sessionId, input.replyToMessageId),
    cancelOnReply: input.cancelOnReply ?? false,
    pauseAi: input.pauseAi ?? false,
    author: { id: actor.id, name: actor.name },
    scheduledBy: null,
    userId: personOf(actor)?.id ?? null,
    createdAt: now,
    updatedAt: now,
  };
  await insertScheduled(tx, accountId, row);
  await touch(tx, accountId, now, state, row.cancelOnReply);
  await auditChange(tx, actor, now, 'created', row, { sendAt: row.sendAt });
  return toScheduled(row);
}

export async function listScheduled(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  sessionId: string,
  query: { limit?: number; nextToken?: string },
): Promise<Page<ScheduledMessage>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['scheduled-messages', accountId, sessionId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const after = cursor && { sendAt: Number(cursor[0]), id: String(cursor[1]) };
  const rows = await selectScheduled(db, accountId, sessionId, after, size + 1);
  return cutPage(rows.map(toScheduled), size, (last) => tokens.issue([last.sendAt, last.id], scope));
}

type ChangeContext = Omit<ReplyContext, 'directory'>;

export async function changeScheduled(
  tx: Tx,
  context: ChangeContext,
  place: { sessionId: string; id: string },
  change: ScheduledMessageUpdate,
): Promise<ScheduledMessage> {
  const { actor, now } = context;
  const { accountId } = actor;
  const { state, row: before } = await requireScheduled(tx, context, place);
  const { content = before.content, cancelOnReply = before.cancelOnReply, sendAt = before.sendAt } = change;
  if (before.template && change.content !== undefined) {
    throw badRequest('content of a template cannot be changed: cancel it and schedule another');
  }
  if (!content.trim() && before.attachments.length === 0) throw badRequest('content must not be empty');
  if (change.sendAt !== undefined) checkTime(sendAt, now);
  const row = { ...before, ...authorsAfter(before, actor), content, cancelOnReply, sendAt, updatedAt: now };
  await updateScheduled(tx, accountId, row);
  await touch(tx, accountId, now, state, cancelOnReply);
  await auditChange(tx, actor, now, 'updated', row, {
    ...(sendAt !== before.sendAt && { sendAt: { from: before.sendAt, to: sendAt } }),
    ...(row.author.id !== before.author.id && { author: { from: before.author.name, to: row.author.name } }),
    ...(cancelOnReply !== before.cancelOnReply && {
      cancelOnReply: { from: before.cancelOnReply, to: cancelOnReply },
    }),
  });
  return toScheduled(row);
}

/** Nobody writes in the name of somebody else: whoever changes a message is its author, with their rights. */
function authorsAfter(
  { author, scheduledBy }: ScheduledRow,
  actor: Actor,
): Pick<ScheduledRow, 'author' | 'scheduledBy' | 'userId'> {
  const first = scheduledBy ?? author;
  return {
    author: { id: actor.id, name: actor.name },
    scheduledBy: first.id === actor.id ? null : first,
    userId: personOf(actor)?.id ?? null,
  };
}

export async function cancelScheduled(
  tx: Tx,
  context: ChangeContext,
  place: { sessionId: string; id: string },
): Promise<void> {
  const { actor, now } = context;
  const { state, row } = await requireScheduled(tx, context, place);
  await deleteScheduled(tx, actor.accountId, row.id);
  await touch(tx, actor.accountId, now, state, false);
  await auditChange(tx, actor, now, 'cancelled', row);
}

/** Under the conversation's lock, which its sending takes as well. */
async function requireScheduled(
  tx: Tx,
  { actor, visible }: ChangeContext,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<{ state: SessionState; row: ScheduledRow }> {
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  const row = isId(id) ? await findScheduled(tx, actor.accountId, sessionId, id) : null;
  if (!row) throw notFound('scheduled message');
  return { state, row };
}

/**
 * Open windows are told that the conversation has changed, and read its scheduled messages again. A conversation that
 * no longer has any that a message of the customer cancels learns so with that message.
 */
async function touch(
  tx: Tx,
  accountId: string,
  now: number,
  state: SessionState,
  cancels: boolean,
): Promise<void> {
  const after = { ...state, cancelsOnReply: state.cancelsOnReply || cancels, updatedAt: now };
  await updateSession(tx, accountId, after);
}

function checkTime(sendAt: number, now: number): void {
  if (sendAt <= now) throw badRequest('sendAt must be in the future');
  if (sendAt > now + longestMs) throw badRequest('sendAt must be at most a year ahead');
}

/** Never the text. */
async function auditChange(
  tx: Tx,
  actor: Actor,
  now: number,
  verb: 'created' | 'updated' | 'cancelled',
  { id, sessionId }: ScheduledRow,
  changes: Record<string, unknown> = {},
): Promise<void> {
  await audit(tx, actor, now, {
    action: `scheduled_message.${verb}`,
    target: { type: 'session', id: sessionId },
    changes: { scheduledMessageId: id, ...changes },
  });
}

function toScheduled({ userId: _userId, ...message }: ScheduledRow): ScheduledMessage {
  return message;
}
