/** The runs of a rule, the latest first; each opens with its steps. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { RunSummary } from '../../../../contract/automation/runs.ts';
import { LoadMore } from '../../settings/parts/entity-list.tsx';
import { Answer, RowsSkeleton } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Time } from '../../ui/display/time.tsx';
import { runsQuery } from '../rule-data.ts';
import { PlaceLink, RunBadge, RunDetails } from '../run-details.tsx';

export function RuleRuns({ ruleId }: { ruleId: string }) {
  const runs = useInfiniteQuery(runsQuery(ruleId));
  const all = runs.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <div className="flex flex-col gap-3 pt-3">
      <Answer query={runs} loading={<RowsSkeleton rows={3} />}>
        {() =>
          all.length === 0 ? (
            <p className="py-6 text-center text-pretty text-muted">{t('automation.noRuns')}</p>
          ) : (
            <ul aria-label={t('automation.runs')} className="flex flex-col rounded-panel border border-line">
              {all.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </ul>
          )
        }
      </Answer>
      <LoadMore query={runs} />
    </div>
  );
}

function RunRow({ run }: { run: RunSummary }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="border-b border-line last:border-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-10 w-full items-center gap-2 px-3 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2"
      >
        <ChevronRight
          aria-hidden
          className={cx('size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
        />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
          <RunBadge state={run.state} />
          <span className="text-sm text-muted">{t(`automation.cause.${run.cause.type}`)}</span>
          {run.reason && <span className="min-w-0 truncate text-sm text-muted">{run.reason}</span>}
        </span>
        <Time ago tip={false} at={run.createdAt} className="tabular shrink-0 text-sm text-muted" />
      </button>
      {isOpen && (
        <div className="flex flex-col gap-2 px-3 pb-3">
          <PlaceLink {...run} />
          <RunDetails id={run.id} />
        </div>
      )}
    </li>
  );
}
