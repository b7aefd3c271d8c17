/** A preview: the first rows as they would be written, and their problems. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { AlertTriangle, ArrowLeft, CheckCircle2, Play } from 'lucide-react';
import { useState } from 'react';
import type { ImportJob, ImportPreview } from '../../../contract/crm/imports.ts';
import { number } from '../texts/format.ts';
import { t, tn } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { previewQuery, startImport } from './import-data.ts';
import { explained, sayReason } from './import-reasons.ts';
import { StepFrame, type StepProps } from './import-steps.tsx';
import { PreviewTable } from './preview-table.tsx';

export function CheckStep({ board, current }: StepProps) {
  const navigate = useNavigate();
  const query = useQuery(previewQuery(current.id));
  const [busy, setBusy] = useState(false);
  const written = query.data && rowsToWrite(query.data);
  const start = async () => {
    setBusy(true);
    try {
      await startImport(current.id);
      await navigate({ to: '.', search: {}, replace: true });
    } catch (error) {
      toast.failed(t('import.startFailed'), explained(error), () => void start());
      setBusy(false);
    }
  };
  return (
    <StepFrame
      fills
      title={t('import.check.title')}
      text={t('import.check.text')}
      footer={
        <>
          <Button
            icon={<ArrowLeft className="size-3.5" />}
            onClick={() => void navigate({ to: '.', search: {} })}
          >
            {t('import.check.back')}
          </Button>
          <Button
            tone="primary"
            busy={busy}
            disabled={!query.data || current.rows === 0 || written === 0}
            icon={<Play className="size-3.5" />}
            onClick={() => void start()}
          >
            {written === undefined || written === null
              ? t('import.check.startAll', { rows: number(current.rows) })
              : written === 0
                ? t('import.check.nothing')
                : tn('import.check.start', written)}
          </Button>
        </>
      }
    >
      {query.isPending && <PreviewSkeleton />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && (
        <>
          <Verdict preview={query.data} current={current} />
          <PreviewTable board={board} current={current} rows={query.data.rows} />
        </>
      )}
    </StepFrame>
  );
}

/** Cards that would be created or updated; null: the file has more rows than were checked. */
const rowsToWrite = ({ check }: ImportPreview) =>
  check.isWholeFile ? check.outcomes.create + check.outcomes.update : null;

function Verdict({ preview: { check }, current }: { preview: ImportPreview; current: ImportJob }) {
  const seen = [
    check.isWholeFile
      ? tn('import.check.seenAll', check.rows)
      : t('import.check.seenSome', { seen: number(check.rows), rows: number(current.rows) }),
    ...(check.outcomes.skip > 0 ? [tn('import.check.skipped', check.outcomes.skip)] : []),
  ].join(' ');
  if (check.wrong === 0) {
    return (
      <p role="status" className="flex items-start gap-2.5 rounded-control bg-success-soft px-3 py-2">
        <CheckCircle2 className="mt-0.5 size-4 shrink-0 text-success" />
        <span>
          <span className="font-medium">{t('import.check.fine')}</span> {seen}
        </span>
      </p>
    );
  }
  return (
    <div role="status" className="rounded-control bg-warning-soft px-3 py-2">
      <p className="flex items-start gap-2.5">
        <AlertTriangle className="mt-0.5 size-4 shrink-0 text-warning" />
        <span>
          <span className="font-medium">{tn('import.check.wrong', check.wrong)}</span> {seen}{' '}
          {t('import.check.wrongText')}
        </span>
      </p>
      <ul
        aria-label={t('import.check.problems')}
        className="mt-1.5 max-h-24 overflow-y-auto pl-6.5"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {check.problems.map((problem) => (
          <li key={`${problem.column} ${problem.message}`}>
            <span className="tabular font-medium">{number(problem.count)}×</span>{' '}
            {problem.column !== null && (
              <span className="font-medium">
                {current.columns.find(({ index }) => index === problem.column)?.name}:{' '}
              </span>
            )}
            {sayReason(problem.reason, problem.message)}{' '}
            <span className="text-muted">
              {t('import.check.firstRow', { row: number(problem.firstRow) })}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const PreviewSkeleton = () => (
  <>
    <Skeleton className="h-9" />
    <div className="flex flex-col gap-2">
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <Skeleton key={row} className="h-8" />
      ))}
    </div>
  </>
);
