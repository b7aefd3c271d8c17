/** Parts of both dialogs: the buttons with their key, and how a step is marked. */
import { CircleAlert, CircleMinus } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Kbd } from '../../ui/display/kbd.tsx';

interface RunButtonsProps {
  label: string;
  ready: boolean;
  busy: boolean;
  onRun(): void;
  onClose(): void;
}

/** Ctrl or Cmd and Enter runs from everywhere in the dialog. */
export function RunButtons({ label, ready, busy, onRun, onClose }: RunButtonsProps) {
  // Null while it cannot run. As of this render: an effect that follows it comes too late for a key pressed right after a text.
  const run = useRef<(() => void) | null>(null);
  run.current = ready && !busy ? onRun : null;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      if (!event.repeat) run.current?.();
    };
    // Before the field with the focus, which would open its list.
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, []);
  return (
    <>
      <Button onClick={onClose}>{t('ui.cancel')}</Button>
      <Button tone="primary" busy={busy} disabled={!ready} onClick={onRun}>
        {label}
        <span aria-hidden className="ml-1 max-sm:hidden">
          <Kbd keys="mod+enter" />
        </span>
      </Button>
    </>
  );
}

export function StepMark({ tone, children }: { tone: 'warning' | 'muted'; children: ReactNode }) {
  const Icon = tone === 'warning' ? CircleAlert : CircleMinus;
  return (
    <span className={tone === 'warning' ? 'flex gap-1.5 text-warning' : 'flex gap-1.5 text-muted'}>
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 break-words">{children}</span>
    </span>
  );
}
