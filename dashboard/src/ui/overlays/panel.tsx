/** The side panel at the right: beside the view instead of over it, except on a phone. */
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { t } from '../../texts/texts.ts';
import { cx } from '../class-names.ts';
import { IconButton } from '../controls/button.tsx';

export interface PanelProps {
  label: string;
  header: ReactNode;
  actions?: ReactNode;
  onClose(): void;
  children: ReactNode;
  className?: string;
}

export function Panel({ label, header, actions, onClose, children, className }: PanelProps) {
  const own = useRef<HTMLElement>(null);
  useShortcut('escape', onClose, { label: t('ui.close'), group: 'general' });
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    // A menu that was opened while the panel loaded would close.
    if (!before?.closest('[role=menu]')) own.current?.focus({ preventScroll: true });
    return () => {
      if (before?.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      ref={own}
      aria-label={label}
      tabIndex={-1}
      data-quiet-focus=""
      className={cx(
        'slide-in fixed inset-y-0 right-0 z-30 flex w-full flex-col border-l border-line bg-surface shadow-float outline-none md:w-[560px]',
        className,
      )}
    >
      <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4">
        <div className="flex min-w-0 flex-1 items-center gap-2">{header}</div>
        {actions}
        <IconButton label={t('ui.close')} shortcut="escape" onClick={onClose}>
          <X className="size-4" />
        </IconButton>
      </header>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">{children}</div>
    </aside>
  );
}
