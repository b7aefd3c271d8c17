import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Comment } from '../../../contract/crm/tasks.ts';
import { useUsers } from '../data/queries.ts';
import { useMay, useSignedIn } from '../data/session.ts';
import { OtherMentions, unwritten } from '../inbox/composer/mentions.tsx';
import { MessageText } from '../inbox/conversation/message-text.tsx';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { Time } from '../ui/display/time.tsx';
import { changeComment, deleteComment } from './comment-data.ts';
import { CommentEditor, mentionsOf } from './comment-editor.tsx';

export function CommentItem({ comment }: { comment: Comment }) {
  const { user } = useSignedIn();
  const mayWrite = useMay('records.edit');
  const mayDeleteAny = useMay('boards.manage');
  const [isEditing, setIsEditing] = useState(false);
  const isOwn = comment.author.id === user.id;
  const isNew = comment.commentId.startsWith('new-');
  return (
    <li
      data-comment={comment.commentId}
      className={cx('group/comment flex items-start gap-2', isNew && 'opacity-60')}
    >
      <Avatar id={comment.author.id} name={comment.author.name} tip={false} />
      <div className="min-w-0 flex-1">
        <div className="flex min-h-6 items-center gap-2">
          <span className="min-w-0 truncate font-medium">{comment.author.name}</span>
          <Time at={comment.createdAt} className="tabular shrink-0 text-sm text-muted" />
          {comment.updatedAt > comment.createdAt && (
            <span className="shrink-0 text-sm text-muted">{t('comments.edited')}</span>
          )}
          <span className="flex-1" />
          {!isEditing && !isNew && mayWrite && (
            <span className="flex shrink-0 opacity-0 group-focus-within/comment:opacity-100 group-hover/comment:opacity-100 pointer-coarse:opacity-100">
              {isOwn && (
                <IconButton size="small" label={t('comments.edit')} onClick={() => setIsEditing(true)}>
                  <Pencil className="size-3.5" />
                </IconButton>
              )}
              {(isOwn || mayDeleteAny) && (
                <IconButton size="small" label={t('comments.delete')} onClick={() => deleteComment(comment)}>
                  <Trash2 className="size-3.5" />
                </IconButton>
              )}
            </span>
          )}
        </div>
        {isEditing ? (
          <EditComment comment={comment} onEnd={() => setIsEditing(false)} />
        ) : (
          <div className="break-words">
            <MessageText text={comment.content} mentions={comment.mentions} />
            <OtherMentions note={comment} />
          </div>
        )}
      </div>
    </li>
  );
}

function EditComment({ comment, onEnd }: { comment: Comment; onEnd(): void }) {
  const users = useUsers();
  const save = (content: string, ids: string[]) => {
    onEnd();
    const named = [...new Set([...ids, ...unwritten(comment).map(({ id }) => id)])];
    const before = comment.mentions.map(({ id }) => id);
    const isOther = named.length !== before.length || named.some((id) => !before.includes(id));
    if (content === comment.content && !isOther) return;
    const change = { content, ...(isOther && { mentionedUserIds: named }) };
    void changeComment(comment, change, isOther ? mentionsOf(named, users) : comment.mentions);
  };
  return (
    <CommentEditor
      kanbanId={comment.kanbanId}
      initial={comment.content}
      label={t('comments.edit')}
      autoFocus
      onSave={save}
      onCancel={onEnd}
    >
      {({ isEmpty, save: submit }) => (
        <div className="flex justify-end gap-2">
          <Button onClick={onEnd}>{t('ui.cancel')}</Button>
          <Button tone="primary" disabled={isEmpty} onClick={submit}>
            {t('ui.save')}
          </Button>
        </div>
      )}
    </CommentEditor>
  );
}
