/** Comments on records, for the team only. Authors edit and delete their own; administrators may delete any. */

import type { Comment, CommentCreate, CommentsQuery, CommentUpdate } from '../../../contract/crm/tasks.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, forbidden, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type Actor, may, selectUsersByIds } from '../accounts/accounts.ts';
import { type Definitions, type KanbanDefinition, maySee, userMaySee } from '../kanbans/kanbans.ts';
import {
  emitAboutRecord,
  type LockedRecord,
  requireLockedRecord,
  requireRecord,
} from '../records/records.ts';
import {
  countComments,
  deleteComment,
  findComment,
  insertComment,
  selectComments,
  updateComment,
} from './comments.sql.ts';

export { selectCommentsByKeys } from './comments.sql.ts';

export interface CommentContext {
  actor: Actor;
  now: number;
  definitions: Definitions;
}

export async function createComment(
  tx: Tx,
  context: CommentContext,
  recordId: string,
  input: CommentCreate,
): Promise<Comment> {
  const { actor, now, definitions } = context;
  const { accountId } = actor;
  const content = checkContent(input.content);
  const locked = await requireLockedRecord(tx, actor, definitions, recordId);
  if ((await countComments(tx, accountId, recordId)) >= limits.commentsPerRecord) {
    throw conflict(`a record has at most ${limits.commentsPerRecord} comments`);
  }
  const comment: Comment = {
    commentId: newId(now),
    recordId,
    kanbanId: locked.kanban.id,
    content,
    mentions: await checkMentions(tx, accountId, locked.kanban, input.mentionedUserIds ?? []),
    author: { id: actor.id, name: actor.name },
    createdAt: now,
    updatedAt: now,
    clientId: input.clientId ?? null,
  };
  await insertComment(tx, accountId, comment);
  await emitComment(tx, locked, context, 'comment_created', comment);
  return comment;
}

export async function changeComment(
  tx: Tx,
  context: CommentContext,
  id: string,
  change: CommentUpdate,
): Promise<Comment> {
  const { actor, now } = context;
  const { accountId } = actor;
  if (change.content === undefined && change.mentionedUserIds === undefined) {
    throw badRequest('content or mentionedUserIds is required');
  }
  const { comment: before, ...locked } = await requireLockedComment(tx, context, id);
  if (before.author.id !== actor.id) throw forbidden('only its author may change a comment');
  const content = change.content === undefined ? before.content : checkContent(change.content);
  const mentions = change.mentionedUserIds
    ? await checkMentions(tx, accountId, locked.kanban, change.mentionedUserIds)
    : before.mentions;
  const idsOf = (people: Comment['mentions']) => people.map((one) => one.id).join();
  if (content === before.content && idsOf(mentions) === idsOf(before.mentions)) return before;
  // Later than createdAt, also within the same millisecond: it marks the comment as edited.
  const comment = { ...before, content, mentions, updatedAt: Math.max(now, before.updatedAt + 1) };
  await updateComment(tx, accountId, comment);
  await emitComment(tx, locked, context, 'comment_updated', comment);
  return comment;
}

export async function removeComment(tx: Tx, context: CommentContext, id: string): Promise<void> {
  const { actor } = context;
  const { comment, ...locked } = await requireLockedComment(tx, context, id);
  if (comment.author.id !== actor.id && !may(actor, 'boards.manage')) {
    throw forbidden('only its author or an administrator may delete a comment');
  }
  await deleteComment(tx, actor.accountId, comment.commentId);
  await emitComment(tx, locked, context, 'comment_deleted', comment);
}

export async function listComments(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  tokens: PageTokens,
  recordId: string,
  query: CommentsQuery,
): Promise<Page<Comment>> {
  await requireRecord(db, actor, visible, recordId);
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['comments', actor.accountId, recordId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const before = cursor && { createdAt: Number(cursor[0]), id: String(cursor[1]) };
  const rows = await selectComments(db, actor.accountId, recordId, before, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.createdAt, last.commentId], scope));
}

async function requireLockedComment(
  tx: Tx,
  { actor, definitions }: CommentContext,
  id: string,
): Promise<LockedRecord & { kanban: KanbanDefinition; comment: Comment }> {
  const found = isId(id) ? await findComment(tx, actor.accountId, id) : null;
  const kanban = found && definitions.kanbans.get(found.kanbanId);
  if (!found || !kanban || !maySee(actor, kanban)) throw notFound('comment');
  const locked = await requireLockedRecord(tx, actor, definitions, found.recordId);
  // Read again: it may have changed before the lock.
  const comment = await findComment(tx, actor.accountId, id);
  if (!comment) throw notFound('comment');
  return { ...locked, comment };
}

async function emitComment(
  tx: Tx,
  locked: LockedRecord,
  { actor, now }: CommentContext,
  event: 'comment_created' | 'comment_updated' | 'comment_deleted',
  comment: Comment,
): Promise<void> {
  await emitAboutRecord(tx, locked, now, event, { comment, changedBy: actor.id });
}

function checkContent(text: string): string {
  if (!text.trim()) throw badRequest('content is required');
  if (text.length > limits.commentLength && [...text].length > limits.commentLength) {
    throw badRequest(`content must have at most ${limits.commentLength} characters`);
  }
  return text;
}

/** Mentioned users get a notification with the text, so only those who may read it can be mentioned. */
async function checkMentions(
  tx: Tx,
  accountId: string,
  kanban: KanbanDefinition,
  userIds: string[],
): Promise<Comment['mentions']> {
  const ids = [...new Set(userIds)];
  if (ids.length === 0) return [];
  const users = await selectUsersByIds(tx, accountId, ids.filter(isId));
  return ids.map((id) => {
    const user = users.find((one) => one.id === id);
    if (!user || !userMaySee(user, kanban)) {
      throw badRequest(`mentionedUserIds has someone who cannot see this board: ${id.slice(0, 100)}`);
    }
    return { id, name: user.name };
  });
}
