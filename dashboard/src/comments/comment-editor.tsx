/** The text of a comment, new or edited, with mentions. Ctrl+Enter saves it. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Comment } from '../../../contract/crm/tasks.ts';
import { limits } from '../../../contract/limits.ts';
import { useMentions } from '../inbox/composer/mentions.tsx';
import { t } from '../texts/texts.ts';
import { TextArea } from '../ui/controls/input.tsx';

interface CommentEditorProps {
  kanbanId: string;
  initial?: string;
  label: string;
  placeholder?: string;
  autoFocus?: boolean;
  onText?(text: string): void;
  onSave(content: string, mentionedUserIds: string[]): void;
  onCancel?(): void;
  /** The buttons below the text. */
  children(state: { isEmpty: boolean; save(): void }): ReactNode;
}

export function CommentEditor(props: CommentEditorProps) {
  const {
    kanbanId,
    initial = '',
    label,
    placeholder,
    autoFocus = false,
    onText,
    onSave,
    onCancel,
    children,
  } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(initial);
  useEffect(() => {
    if (!autoFocus || !area.current) return;
    area.current.focus();
    area.current.setSelectionRange(area.current.value.length, area.current.value.length);
  }, [autoFocus]);
  const insert = (piece: string, replaced: number) => {
    const box = area.current!;
    const from = box.selectionStart - replaced;
    setText(box.value.slice(0, from) + piece + box.value.slice(box.selectionEnd));
    requestAnimationFrame(() => box.setSelectionRange(from + piece.length, from + piece.length));
  };
  const mentions = useMentions({
    session: { kanbanId },
    area,
    text,
    insert,
    enabled: true,
    label: t('comments.mention'),
  });
  useEffect(() => onText?.(text), [text, onText]);
  const isEmpty = text.trim() === '';
  const save = () => {
    if (isEmpty) return;
    onSave(text.trim(), mentions.idsIn(text));
    setText('');
  };
  return (
    <div className="relative flex flex-col gap-2">
      {mentions.list}
      <TextArea
        {...mentions.inputProps}
        ref={area}
        rows={1}
        aria-label={label}
        placeholder={placeholder}
        maxLength={limits.commentLength}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (mentions.onKeyDown(event)) return;
          if (event.key === 'Escape' && onCancel) onCancel();
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {children({ isEmpty, save })}
    </div>
  );
}

/** The people of these ids, as the service will return them. */
export const mentionsOf = (
  ids: readonly string[],
  people: readonly { id: string; name: string }[],
): Comment['mentions'] => people.filter(({ id }) => ids.includes(id)).map(({ id, name }) => ({ id, name }));
