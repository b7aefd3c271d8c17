import { Check } from 'lucide-react';
import type { MouseEvent } from 'react';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { selection, useIsSelected } from './selection.ts';

/** Over the avatar of a row: appears under the pointer; on a phone the avatar itself is tapped. x does it by keyboard. */
export function SelectBox({ sessionId, name }: { sessionId: string; name: string }) {
  const isSelected = useIsSelected(sessionId);
  const canSelect = useMay('conversations.reply');
  const onClick = (event: MouseEvent) =>
    event.shiftKey ? selection.extendTo(sessionId) : selection.toggle(sessionId);
  if (!canSelect) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: drawn by us, and no tab stop of its own in a list that is one
    <button
      type="button"
      role="checkbox"
      aria-checked={isSelected}
      aria-label={t('lifecycle.selectOne', { name })}
      tabIndex={-1}
      onClick={onClick}
      className={cx(
        'absolute top-2 left-2 flex size-10 items-center justify-center rounded-full transition-opacity',
        isSelected ? 'opacity-100' : 'opacity-0 group-hover:opacity-100 pointer-coarse:group-hover:opacity-0',
      )}
    >
      <span
        aria-hidden
        className={cx(
          'flex size-8 items-center justify-center rounded-full border',
          isSelected
            ? 'border-transparent bg-accent text-on-accent'
            : 'border-line-strong bg-surface text-faint',
        )}
      >
        <Check className="size-4" />
      </span>
    </button>
  );
}
