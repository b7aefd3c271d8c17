/** Loading, empty and error states. */
import { AlertTriangle, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../class-names.ts';
import { Button } from '../controls/button.tsx';

/** A placeholder in the shape of the content. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden className={cx('block animate-pulse rounded-control bg-pressed/70', className)} />
);

export function EmptyState({
  icon,
  title,
  text,
  action,
  className,
}: {
  icon?: ReactNode;
  title: string;
  text?: ReactNode;
  action?: ReactNode;
  className?: string;
}) {
  return (
    <div
      className={cx(
        'flex flex-1 flex-col items-center justify-center gap-2 px-6 py-12 text-center',
        className,
      )}
    >
      {icon && (
        <span className="mb-1 flex size-9 items-center justify-center rounded-panel border border-line bg-surface text-muted">
          {icon}
        </span>
      )}
      <h2 className="text-md font-semibold text-balance">{title}</h2>
      {text && <p className="max-w-sm text-pretty text-muted">{text}</p>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}

export function ErrorState({
  error,
  onRetry,
  className,
}: {
  error: unknown;
  onRetry?(): void;
  className?: string;
}) {
  const { title, text } = describeError(error);
  return (
    <div
      role="alert"
      className={cx(
        'flex flex-1 flex-col items-center justify-center gap-2 px-6 py-12 text-center',
        className,
      )}
    >
      <span className="mb-1 flex size-9 items-center justify-center rounded-panel bg-danger-soft text-danger">
        <AlertTriangle className="size-4" />
      </span>
      <h2 className="text-md font-semibold">{title}</h2>
      <p className="max-w-sm text-pretty text-muted">{text}</p>
      {onRetry && (
        <Button className="mt-2" icon={<RotateCw className="size-3.5" />} onClick={onRetry}>
          {t('ui.retry')}
        </Button>
      )}
    </div>
  );
}
