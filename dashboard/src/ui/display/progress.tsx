import { cx } from '../class-names.ts';

export interface ProgressBarProps {
  label: string;
  /** 0 to 1; null: in progress, share unknown. */
  share: number | null;
  /** Read out instead of the percentage. */
  valueText?: string;
  tone?: 'accent' | 'success' | 'warning' | 'danger';
  className?: string;
}

const tones = {
  accent: 'bg-accent',
  success: 'bg-success',
  warning: 'bg-warning',
  danger: 'bg-danger-fill',
};

export function ProgressBar({ label, share, valueText, tone = 'accent', className }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === null ? undefined : Math.round(share * 100)}
      aria-valuetext={valueText}
      className={cx('h-1.5 overflow-hidden rounded-full bg-pressed', className)}
    >
      <div
        style={{ transform: `scaleX(${share ?? 0.3})` }}
        className={cx(
          'h-full origin-left rounded-full transition-transform duration-300',
          tones[tone],
          share === null && 'animate-pulse',
        )}
      />
    </div>
  );
}
