/** The comments of a record: read, changed, and kept current. Newest first, as the service lists them. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Comment, CommentUpdate } from '../../../contract/crm/tasks.ts';
import { api, type Page } from '../data/api.ts';
import { useLive } from '../data/live.ts';
import { keys } from '../data/queries.ts';
import { deleteLater, makeChange, newChangeId } from '../data/store/changes.ts';
import { hear, hearDeleted, newThingId } from '../data/store/entities.ts';
import {
  addList,
  hasInPages,
  type Ids,
  ofKind,
  readPage,
  selectPages,
  withFirstId,
} from '../data/store/lists.ts';
import { t } from '../texts/texts.ts';

const select = selectPages('comment');

export const commentsQuery = (recordId: string) =>
  infiniteQueryOptions({
    queryKey: keys.comments(recordId),
    queryFn: async ({ pageParam, signal }) =>
      readPage(
        'comment',
        await api<Page<Comment>>('GET', `/crm/records/${recordId}/comments`, {
          query: { limit: 20, nextToken: pageParam },
          signal,
        }),
      ),
    select,
    ...ofKind('comment'),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
  });

addList<'comment', Ids>({
  kind: 'comment',
  isOf: ([start]) => start === 'comments',
  has: hasInPages,
  placed: (data, { commentId, recordId }, { key }) =>
    recordId === key[1] && !hasInPages(data, commentId) ? withFirstId(data, commentId) : data,
});

/** False: it was refused, and the caller keeps the text. */
export async function createComment(
  record: { recordId: string; kanbanId: string },
  author: { id: string; name: string },
  content: string,
  mentions: Comment['mentions'],
): Promise<boolean> {
  const now = Date.now();
  const { recordId, kanbanId } = record;
  const id = newChangeId();
  const commentId = newThingId(id);
  const comment: Comment = {
    commentId,
    recordId,
    kanbanId,
    content,
    mentions,
    author,
    createdAt: now,
    updatedAt: now,
    clientId: id,
  };
  const mentionedUserIds = mentions.map((one) => one.id);
  const { isRejected } = await makeChange({
    id,
    order: `comments of ${recordId}`,
    request: {
      method: 'POST',
      path: `/crm/records/${recordId}/comments`,
      body: { content, mentionedUserIds, clientId: id },
    },
    edits: [{ kind: 'comment', id: commentId, create: comment }],
    failed: t('comments.addFailed'),
  });
  return !isRejected;
}

export async function changeComment(
  comment: Comment,
  change: CommentUpdate,
  mentions: Comment['mentions'],
): Promise<void> {
  const { commentId: id } = comment;
  const content = change.content ?? comment.content;
  await makeChange(
    {
      request: { method: 'PATCH', path: `/comments/${id}`, body: change },
      edits: [{ kind: 'comment', id, update: { content, mentions, updatedAt: Date.now() } }],
      failed: t('comments.changeFailed'),
    },
    () => void changeComment(comment, change, mentions),
  );
}

export function deleteComment({ commentId: id }: Comment): void {
  deleteLater([{ path: `/comments/${id}`, edits: [{ kind: 'comment', id, remove: true }] }], {
    said: t('comments.deleted'),
    failed: t('comments.deleteFailed'),
  });
}

const hearComment = ({ comment }: { comment: Comment }) => void hear('comment', comment);

export function useCommentsLive(): void {
  useLive('comment.created', hearComment);
  useLive('comment.updated', hearComment);
  useLive(
    'comment.deleted',
    useCallback(({ commentId }) => hearDeleted('comment', commentId), []),
  );
}
