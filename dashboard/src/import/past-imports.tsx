/** Recent and running imports of this board. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { ImportJob, ImportState } from '../../../contract/crm/imports.ts';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { limits } from '../../../contract/limits.ts';
import { number } from '../texts/format.ts';
import { t, tn } from '../texts/texts.ts';
import { Badge } from '../ui/display/badge.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { Time } from '../ui/display/time.tsx';
import type { Hue } from '../ui/hues.ts';
import { importsQuery } from './import-data.ts';

const hues: { [state in ImportState]: Hue | undefined } = {
  draft: undefined,
  running: 'blue',
  cancelled: 'yellow',
  failed: 'red',
  done: 'green',
};

const StateBadge = ({ state }: { state: ImportState }) => (
  <Badge hue={hues[state]}>{t(`import.state.${state}`)}</Badge>
);

export function PastImports({ board }: { board: Kanban }) {
  const query = useQuery(importsQuery(board.id));
  if (query.isPending) return <Skeleton className="h-24" />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data.length === 0) return null;
  return (
    <section aria-labelledby="past-imports">
      <h3 id="past-imports" className="font-medium">
        {t('import.past.title')}
      </h3>
      <p className="text-muted">{t('import.past.text', { days: limits.importKeptDays })}</p>
      <ul className="mt-2 flex flex-col rounded-panel border border-line">
        {query.data.map((one) => (
          <li key={one.id} className="group border-b border-line last:border-0">
            <Link
              to="/boards/$boardId/import/$importId"
              params={{ boardId: board.slug, importId: one.id }}
              className="flex min-h-14 items-center gap-3 px-3 py-2 transition-colors group-first:rounded-t-panel group-last:rounded-b-panel hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 flex-1">
                <span className="flex min-w-0 items-center gap-2">
                  <span className="truncate font-medium" title={one.fileName}>
                    {one.fileName}
                  </span>
                  <StateBadge state={one.state} />
                </span>
                <span className="block truncate text-muted">{resultLine(one)}</span>
              </span>
              <span className="shrink-0 text-right text-sm text-muted max-sm:hidden">
                <span className="block max-w-40 truncate">{one.createdBy.name}</span>
                <Time at={one.createdAt} tip={false} />
              </span>
              <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** "1,200 created, 3 failed", or how far it is. */
function resultLine({ state, rows, progress }: ImportJob): string {
  if (state === 'draft') return tn('import.rows', rows);
  const { rowsDone, created, updated, skipped, failed } = progress;
  const parts = [
    created > 0 && t('import.line.created', { count: number(created) }),
    updated > 0 && t('import.line.updated', { count: number(updated) }),
    skipped > 0 && t('import.line.skipped', { count: number(skipped) }),
    failed > 0 && t('import.line.failed', { count: number(failed) }),
  ].filter(Boolean);
  if (state === 'done') return parts.join(', ') || tn('import.rows', 0);
  const far = t('import.line.of', { done: number(rowsDone), rows: number(rows) });
  return [far, ...parts].join(', ');
}
