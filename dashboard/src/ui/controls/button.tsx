import type { ComponentProps, ReactNode } from 'react';
import { cx } from '../class-names.ts';
import { Tooltip } from '../overlays/tooltip.tsx';

type Tone = 'primary' | 'plain' | 'quiet' | 'danger';

const tones: Record<Tone, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover border border-transparent',
  plain: 'bg-surface text-ink border border-line-strong hover:bg-hover active:bg-pressed',
  quiet:
    'text-muted border border-transparent hover:bg-hover hover:text-ink active:bg-pressed aria-expanded:bg-hover',
  danger: 'bg-danger-fill text-on-accent border border-transparent hover:brightness-110',
};

export interface ButtonProps extends ComponentProps<'button'> {
  tone?: Tone;
  size?: 'small' | 'medium' | 'large';
  icon?: ReactNode;
  /** Shows that the work goes on; a second press does nothing. */
  busy?: boolean;
}

const sizes = { small: 'h-6 px-2 text-sm', medium: 'h-7 px-2.5', large: 'h-9 px-3.5 text-md' };

export function Button({
  tone = 'plain',
  size = 'medium',
  icon,
  busy,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      onClick={busy ? undefined : rest.onClick}
      className={cx(
        'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-control font-medium whitespace-nowrap transition-colors select-none',
        'disabled:pointer-events-none disabled:opacity-50 aria-busy:opacity-70',
        sizes[size],
        tones[tone],
        className,
      )}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  /** Announced by screen readers and shown as a tooltip. */
  label: string;
  shortcut?: string;
  children: ReactNode;
  tip?: boolean;
}

export function IconButton({
  label,
  shortcut,
  children,
  size = 'medium',
  className,
  tip = true,
  ...rest
}: IconButtonProps) {
  const button = (
    <Button
      {...rest}
      tone={rest.tone ?? 'quiet'}
      aria-label={label}
      className={cx(
        size === 'small' ? 'h-6 w-6' : size === 'large' ? 'h-9 w-9' : 'h-7 w-7',
        'px-0!',
        className,
      )}
    >
      {children}
    </Button>
  );
  return tip ? (
    <Tooltip text={label} shortcut={shortcut}>
      {button}
    </Tooltip>
  ) : (
    button
  );
}

export function Spinner({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={cx(
        'inline-block size-3.5 animate-spin rounded-full border-2 border-current border-t-transparent',
        className,
      )}
    />
  );
}
