/** The comments on a card, oldest first, with a field for the next one. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { useUsers } from '../data/queries.ts';
import { useMay, useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Kbd } from '../ui/display/kbd.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { commentsQuery, createComment, useCommentsLive } from './comment-data.ts';
import { CommentEditor, mentionsOf } from './comment-editor.tsx';
import { CommentItem } from './comment-item.tsx';

/** What was typed and not sent yet, by user and record, while the page is open. */
const drafts = new Map<string, string>();

export default function RecordComments({ record }: { record: CrmRecord }) {
  useCommentsLive();
  const { user } = useSignedIn();
  const mayWrite = useMay('records.edit');
  const users = useUsers();
  const query = useInfiniteQuery(commentsQuery(record.recordId));
  const draftKey = `${user.id} ${record.recordId}`;
  const keepDraft = useCallback((text: string) => void drafts.set(draftKey, text), [draftKey]);
  // A refused text returns to the field.
  const [tries, setTries] = useState(0);
  const send = async (content: string, ids: string[]) => {
    if (await createComment(record, user, content, mentionsOf(ids, users))) return;
    drafts.set(draftKey, [content, drafts.get(draftKey) ?? ''].filter(Boolean).join('\n\n'));
    setTries((count) => count + 1);
  };
  const hasNone = query.data?.pages[0]?.items.length === 0;
  const comments = query.data?.pages.flatMap((page) => page.items).toReversed() ?? [];
  return (
    <section aria-label={t('comments.section')} className="border-t border-line px-5 py-4">
      <h3 className="mb-2 font-medium">{t('comments.section')}</h3>
      {query.isPending && <Skeleton className="mb-2 h-10" />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.hasNextPage && (
        <Button
          tone="quiet"
          className="mb-2"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('comments.earlier')}
        </Button>
      )}
      {comments.length > 0 && (
        <ol className="mb-3 flex flex-col gap-3">
          {comments.map((comment) => (
            <CommentItem key={comment.commentId} comment={comment} />
          ))}
        </ol>
      )}
      {mayWrite && (
        <CommentEditor
          key={tries}
          initial={drafts.get(draftKey)}
          onText={keepDraft}
          kanbanId={record.kanbanId}
          label={t('comments.write')}
          placeholder={t('comments.placeholder')}
          onSave={(content, ids) => void send(content, ids)}
        >
          {({ isEmpty, save }) =>
            !isEmpty && (
              <div className="flex items-center justify-end gap-2">
                <span className="max-sm:hidden">
                  <Kbd keys="mod+enter" />
                </span>
                <Button tone="primary" onClick={save}>
                  {t('comments.send')}
                </Button>
              </div>
            )
          }
        </CommentEditor>
      )}
      {!mayWrite && hasNone && <p className="text-muted">{t('comments.none')}</p>}
    </section>
  );
}
