/** The progress of the running import in the rail; a message when it is done. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { useEffect } from 'react';
import { ApiError } from '../data/errors.ts';
import { noteRunningImport, type RunningImport } from '../data/running-import.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { toast } from '../ui/overlays/toast.tsx';
import { importQuery, isRunning } from './import-data.ts';

export default function RailImport({ running, folded }: { running: RunningImport; folded: boolean }) {
  const { data, error } = useQuery(importQuery(running.id));
  const { importId } = useParams({ strict: false }) as { importId?: string };
  const isShown = importId === running.id;
  const isOver = data !== undefined && !isRunning(data);
  const isGone = error instanceof ApiError && error.status < 500;
  useEffect(() => {
    if (!isOver && !isGone) return;
    if (data?.state === 'done' && !isShown) toast.done(t('import.chip.done', { name: data.fileName }));
    noteRunningImport(null);
  }, [isOver, isGone, isShown, data]);
  if (!data || isOver) return null;
  const share = data.rows > 0 ? Math.min(1, data.progress.rowsDone / data.rows) : 0;
  const text = t('import.chip', { name: data.fileName, percent: Math.floor(share * 100) });
  return (
    <Link
      to="/boards/$boardId/import/$importId"
      params={{ boardId: running.boardSlug, importId: running.id }}
      title={text}
      className={cx(
        'relative flex h-7 items-center overflow-hidden rounded-control text-muted transition-colors hover:bg-hover hover:text-ink',
        folded ? 'justify-center' : 'gap-2 px-2',
      )}
    >
      <Upload aria-hidden className="size-4 shrink-0" />
      <span className={folded ? 'sr-only' : 'tabular min-w-0 flex-1 truncate'}>{text}</span>
      <span aria-hidden className="absolute inset-x-2 bottom-0 h-0.5 rounded-full bg-pressed">
        <span
          style={{ transform: `scaleX(${share})` }}
          className="block h-full origin-left rounded-full bg-accent"
        />
      </span>
    </Link>
  );
}
