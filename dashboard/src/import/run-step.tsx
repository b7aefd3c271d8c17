import { CloudOff, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ImportJob } from '../../../contract/crm/imports.ts';
import { noteRunningImport } from '../data/running-import.ts';
import { number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { ProgressBar } from '../ui/display/progress.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { ImportCounts } from './import-counts.tsx';
import { cancelImport } from './import-data.ts';
import { StepFrame, type StepProps } from './import-steps.tsx';

export function RunStep({ board, current, isLost }: StepProps & { isLost: boolean }) {
  const { progress, rows } = current;
  const [busy, setBusy] = useState(false);
  useEffect(() => noteRunningImport({ id: current.id, boardSlug: board.slug }), [current.id, board.slug]);
  const share = rows > 0 ? Math.min(1, progress.rowsDone / rows) : 0;
  const percent = Math.floor(share * 100);
  const cancel = async () => {
    setBusy(true);
    try {
      await cancelImport(current.id);
    } catch (error) {
      toast.failed(t('import.cancelFailed'), error, () => void cancel());
    }
    setBusy(false);
  };
  const far = t('import.run.far', { done: number(progress.rowsDone), rows: number(rows) });
  return (
    <StepFrame
      title={t('import.run.title', { name: current.fileName })}
      text={t('import.run.text')}
      footer={
        <Button icon={<Square className="size-3" />} busy={busy} onClick={() => void cancel()}>
          {t('import.run.cancel')}
        </Button>
      }
    >
      <div className="flex flex-col gap-2">
        <div className="flex items-baseline justify-between gap-4">
          <p className="tabular text-xl font-semibold">{percent} %</p>
          <p className="tabular text-right text-muted">{far}</p>
        </div>
        <ProgressBar
          label={t('import.run.progress')}
          share={share}
          valueText={`${percent} %, ${far}`}
          className="h-2"
        />
        <p className="tabular flex justify-between gap-4 text-muted">
          <span>{speedText(current)}</span>
          <span>{timeLeftText(current)}</span>
        </p>
        {/* Announced every ten percent. */}
        <p aria-live="polite" className="sr-only">
          {t('import.run.said', { percent: Math.floor(percent / 10) * 10 })}
        </p>
      </div>
      {isLost && (
        <p role="status" className="flex items-start gap-2.5 rounded-control bg-warning-soft px-3 py-2">
          <CloudOff className="mt-0.5 size-4 shrink-0 text-warning" />
          {t('import.run.lost')}
        </p>
      )}
      <ImportCounts progress={progress} />
    </StepFrame>
  );
}

const speedText = ({ progress }: ImportJob) =>
  progress.rowsPerSecond > 0
    ? t('import.run.speed', { count: number(Math.round(progress.rowsPerSecond)) })
    : t('import.run.starting');

function timeLeftText({ rows, progress: { rowsDone, rowsPerSecond } }: ImportJob): string {
  if (rowsPerSecond <= 0) return '';
  const seconds = Math.max(0, rows - rowsDone) / rowsPerSecond;
  if (seconds < 5) return t('import.run.leftMoment');
  if (seconds < 90) return t('import.run.leftSeconds', { count: number(Math.ceil(seconds / 5) * 5) });
  return t('import.run.leftMinutes', { count: number(Math.ceil(seconds / 60)) });
}
