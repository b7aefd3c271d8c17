/** The comments of a record: read, written optimistically, and kept current. Newest first, as the service lists them. */
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import { useCallback } from 'react';
import { randomId } from '../../../browser/random-id.ts';
import type { Comment, CommentUpdate } from '../../../contract/crm/tasks.ts';
import { api, type Page } from '../data/api.ts';
import { useLive } from '../data/live.ts';
import { keys } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { t } from '../texts/texts.ts';
import { deleteLater } from '../ui/overlays/delete-later.ts';
import { toast } from '../ui/overlays/toast.tsx';

type Comments = InfiniteData<Page<Comment>, string | null>;

export const commentsQuery = (recordId: string) =>
  infiniteQueryOptions({
    queryKey: keys.comments(recordId),
    queryFn: ({ pageParam, signal }) =>
      api<Page<Comment>>('GET', `/crm/records/${recordId}/comments`, {
        query: { limit: 20, nextToken: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
  });

function update(recordId: string, change: (items: Comment[], isFirst: boolean) => Comment[]): void {
  queryClient.setQueryData<Comments>(
    keys.comments(recordId),
    (old) =>
      old && {
        ...old,
        pages: old.pages.map((page, index) => ({ ...page, items: change(page.items, index === 0) })),
      },
  );
}

/** Replaces the comment where it is shown; a new one comes first. */
function place(comment: Comment): void {
  const known = queryClient.getQueryData<Comments>(keys.comments(comment.recordId));
  const isShown = known?.pages.some(({ items }) => items.some((one) => one.commentId === comment.commentId));
  update(comment.recordId, (items, isFirst) =>
    isShown
      ? items.map((one) => (one.commentId === comment.commentId ? comment : one))
      : isFirst
        ? [comment, ...items]
        : items,
  );
}

const drop = (recordId: string, commentId: string) =>
  update(recordId, (items) => items.filter((one) => one.commentId !== commentId));

/** `clientId` of those that are being sent: their live frames are skipped, because the response follows. */
const sending = new Set<string>();

/** False: it was refused, and the caller keeps the text. */
export async function createComment(
  record: { recordId: string; kanbanId: string },
  author: { id: string; name: string },
  content: string,
  mentions: Comment['mentions'],
): Promise<boolean> {
  const now = Date.now();
  const { recordId, kanbanId } = record;
  const clientId = randomId();
  const temporary: Comment = {
    commentId: `new-${clientId}`,
    recordId,
    kanbanId,
    content,
    mentions,
    author,
    createdAt: now,
    updatedAt: now,
    clientId,
  };
  place(temporary);
  sending.add(clientId);
  try {
    const mentionedUserIds = mentions.map(({ id }) => id);
    const comment = await api<Comment>('POST', `/crm/records/${recordId}/comments`, {
      body: { content, mentionedUserIds, clientId },
      idempotencyKey: clientId,
    });
    drop(recordId, temporary.commentId);
    place(comment);
    return true;
  } catch (error) {
    drop(recordId, temporary.commentId);
    toast.failed(t('comments.addFailed'), error);
    return false;
  } finally {
    sending.delete(clientId);
  }
}

export async function changeComment(
  comment: Comment,
  change: CommentUpdate,
  mentions: Comment['mentions'],
): Promise<void> {
  place({ ...comment, content: change.content ?? comment.content, mentions, updatedAt: Date.now() });
  try {
    place(await api<Comment>('PATCH', `/comments/${comment.commentId}`, { body: change }));
  } catch (error) {
    place(comment);
    toast.failed(t('comments.changeFailed'), error, () => void changeComment(comment, change, mentions));
  }
}

export function deleteComment({ recordId, commentId }: Comment): void {
  const before = queryClient.getQueryData<Comments>(keys.comments(recordId));
  drop(recordId, commentId);
  const restore = () => void (before && queryClient.setQueryData(keys.comments(recordId), before));
  deleteLater([{ path: `/comments/${commentId}`, restore }], {
    said: t('comments.deleted'),
    failed: t('comments.deleteFailed'),
  });
}

export function useCommentsLive(): void {
  const show = useCallback(({ comment }: { comment: Comment }) => {
    if (!sending.has(comment.clientId ?? '')) place(comment);
  }, []);
  useLive('comment.created', show);
  useLive('comment.updated', show);
  useLive(
    'comment.deleted',
    useCallback(({ recordId, commentId }) => drop(recordId, commentId), []),
  );
}
