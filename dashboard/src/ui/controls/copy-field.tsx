import { Check, Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../class-names.ts';
import { toast } from '../overlays/toast.tsx';
import { IconButton } from './button.tsx';

/** An id, a secret or a command in monospace with its copy button. */
export function CopyField({ value, label, className }: { value: string; label: string; className?: string }) {
  return (
    <div
      className={cx(
        'flex h-8 items-center gap-1 rounded-control border border-line bg-sunken pr-0.5 pl-2.5',
        className,
      )}
    >
      <code title={value} className="min-w-0 flex-1 truncate font-mono text-sm select-all">
        {value}
      </code>
      <CopyButton value={value} label={label} />
    </div>
  );
}

export function CopyButton({ value, label }: { value: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = async () => {
    if (!(await copyText(value))) {
      toast.show(t('ui.copyFailed'));
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), 1_600);
  };
  return (
    <IconButton size="small" label={copied ? t('ui.copied') : label} onClick={copy}>
      {copied ? <Check className="size-3.5 text-success" /> : <Copy className="size-3.5" />}
    </IconButton>
  );
}

/** False: the browser refused. `navigator.clipboard` is missing on plain http pages. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement('textarea');
  area.value = text;
  const focused = document.activeElement as HTMLElement | null;
  // Next to the focused element: an open dialog traps the focus.
  (focused?.parentElement ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  focused?.focus();
  return copied;
}
