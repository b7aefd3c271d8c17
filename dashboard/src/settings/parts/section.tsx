/** The layout of a section: title, description, an action at the right, and content of at most 640 px. */
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';

export interface SectionProps {
  title: ReactNode;
  /** Of the window, where the title is no text. */
  name?: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** The section that this one thing belongs to. */
  parent?: { id: string; label: string };
  /** For logs, whose rows want more room than forms. */
  wide?: boolean;
  children: ReactNode;
}

export function Section({ title, name, description, actions, parent, wide, children }: SectionProps) {
  const windowTitle = name ?? (typeof title === 'string' ? title : null);
  useEffect(() => {
    if (windowTitle) document.title = `${windowTitle} · ${t('app.name')}`;
  }, [windowTitle]);
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-y-auto px-4 pt-4 pb-16 md:px-10 md:pt-8">
      <div className={cx('flex flex-col gap-6', wide ? 'max-w-[880px]' : 'max-w-[640px]')}>
        <header className="flex flex-col gap-1">
          <BackLink parent={parent} />
          <div className="flex min-h-7 items-start justify-between gap-4">
            <h2 className="min-w-0 text-lg font-semibold break-words">{title}</h2>
            {actions && <div className="flex shrink-0 gap-2">{actions}</div>}
          </div>
          {description && <p className="max-w-[560px] text-pretty text-muted">{description}</p>}
        </header>
        {children}
      </div>
    </div>
  );
}

/** To the parent; on a phone, where the list of sections is a page of its own, always somewhere. */
function BackLink({ parent }: Pick<SectionProps, 'parent'>) {
  const look =
    '-ml-1 mb-1 inline-flex h-6 w-fit items-center gap-1 rounded-control px-1 text-muted hover:bg-hover hover:text-ink';
  if (!parent) {
    return (
      <Link to="/settings" className={cx(look, 'md:hidden')}>
        <ArrowLeft className="size-3.5" />
        {t('settings.title')}
      </Link>
    );
  }
  return (
    <Link to="/settings/$section" params={{ section: parent.id }} className={look}>
      <ArrowLeft className="size-3.5" />
      {parent.label}
    </Link>
  );
}

/** A part of a form under a heading of its own. */
export function Part({ title, text, children }: { title: ReactNode; text?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-4 border-t border-line pt-6">
      <div>
        <h3 className="text-md font-semibold">{title}</h3>
        {text && <p className="mt-0.5 text-pretty text-muted">{text}</p>}
      </div>
      {children}
    </section>
  );
}

export function SectionSkeleton({ parent }: Pick<SectionProps, 'parent'>) {
  return (
    <Section title={<Skeleton className="h-6 w-40" />} parent={parent}>
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      <RowsSkeleton />
    </Section>
  );
}

export const RowsSkeleton = ({ rows = 4 }: { rows?: number }) => (
  <div className="flex flex-col rounded-panel border border-line">
    {Array.from({ length: rows }, (_, index) => (
      <div
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        key={index}
        className="flex h-14 items-center gap-3 border-b border-line px-3 last:border-0"
      >
        <Skeleton className="size-6 rounded-full" />
        <div className="flex flex-1 flex-col gap-1.5">
          <Skeleton className="h-3 w-40" />
          <Skeleton className="h-2.5 w-56 max-w-full" />
        </div>
      </div>
    ))}
  </div>
);

interface Asked<T> {
  data: T | undefined;
  error: unknown;
  isPending: boolean;
  refetch(): unknown;
}

/** The data of a query, or its loading or error state. */
export function Answer<T>({
  query,
  children,
  loading = <RowsSkeleton />,
}: {
  query: Asked<T>;
  children(data: T): ReactNode;
  loading?: ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return loading;
  return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
}
