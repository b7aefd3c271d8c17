import { type KeyboardEvent, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { createCard } from '../data/board-actions.ts';

/** Enter adds a card and stays open for the next one. Escape, or blur while empty, closes. */
export function QuickAdd({
  kanbanId,
  status,
  onClose,
}: {
  kanbanId: string;
  status: string;
  onClose(): void;
}) {
  const { user } = useSignedIn();
  const [title, setTitle] = useState('');
  const add = () => {
    const text = title.trim();
    if (text) void createCard(kanbanId, status, text, user.id);
    setTitle('');
    return text !== '';
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    else if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    else if (!add()) onClose();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: it stands here because it was asked for
      autoFocus
      aria-label={t('board.addTitle')}
      placeholder={t('board.addTitle')}
      maxLength={limits.titleLength}
      value={title}
      onChange={(event) => setTitle(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => {
        add();
        onClose();
      }}
      className="mx-0.5 mt-0.5 mb-2 h-10 shrink-0 rounded-lg border border-accent bg-surface px-3 outline-none dark:bg-raised"
    />
  );
}
