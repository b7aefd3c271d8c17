/** The result of an import, with the result of each row as a file, and how to import the rest. */
import { Link } from '@tanstack/react-router';
import { AlertTriangle, CheckCircle2, Download, PauseCircle, Play, Wrench } from 'lucide-react';
import { useState } from 'react';
import type { ImportJob, ImportResult } from '../../../contract/crm/imports.ts';
import { downloadFile } from '../data/transfer.ts';
import { number, shortDate } from '../texts/format.ts';
import { t, tn } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { ImportCounts } from './import-counts.tsx';
import { resumeImport } from './import-data.ts';
import { explained, sayReason } from './import-reasons.ts';
import { quietLink, StepFrame, type StepProps } from './import-steps.tsx';

export function ResultStep({ board, current }: StepProps) {
  const { progress, state } = current;
  const [busy, setBusy] = useState(false);
  const isOver = state === 'done';
  const resume = async () => {
    setBusy(true);
    try {
      await resumeImport(current.id);
    } catch (error) {
      toast.failed(t('import.resumeFailed'), explained(error), () => void resume());
    }
    setBusy(false);
  };
  return (
    <StepFrame
      title={t(`import.result.${state === 'done' || state === 'cancelled' ? state : 'failed'}`)}
      text={current.fileName}
      footer={
        <>
          <Link to="/boards/$boardId/import" params={{ boardId: board.slug }} className={quietLink}>
            {t('import.another')}
          </Link>
          {!isOver && (
            <Button icon={<Play className="size-3.5" />} busy={busy} onClick={() => void resume()}>
              {t('import.result.resume')}
            </Button>
          )}
          <Link
            to="/boards/$boardId"
            params={{ boardId: board.slug }}
            className="inline-flex h-7 items-center rounded-control bg-accent px-2.5 font-medium text-on-accent hover:bg-accent-hover"
          >
            {t('import.result.toBoard', { name: board.name })}
          </Link>
        </>
      }
    >
      <Outcome current={current} />
      <ImportCounts progress={progress} />
      {progress.failed > 0 && (
        <section className="flex flex-col gap-2 rounded-panel border border-line p-4">
          <h3 className="flex items-center gap-2 font-medium">
            <Wrench aria-hidden className="size-4 text-muted" />
            {tn('import.mend.title', progress.failed)}
          </h3>
          <p className="max-w-[72ch] text-pretty text-muted">{t('import.mend.text')}</p>
          <div className="flex flex-wrap gap-2">
            <ResultButton current={current} only="failed" />
            <Link to="/boards/$boardId/import" params={{ boardId: board.slug }} className={quietLink}>
              {t('import.mend.again')}
            </Link>
          </div>
        </section>
      )}
      <section className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line pt-5">
        <div className="min-w-0">
          <h3 className="font-medium">{t('import.file.title')}</h3>
          <p className="text-pretty text-muted">
            {t('import.file.text', { date: shortDate(current.expiresAt) })}
          </p>
        </div>
        <ResultButton current={current} />
      </section>
    </StepFrame>
  );
}

const looks = {
  good: { icon: CheckCircle2, ground: 'bg-success-soft', ink: 'text-success' },
  partly: { icon: AlertTriangle, ground: 'bg-warning-soft', ink: 'text-warning' },
  stopped: { icon: PauseCircle, ground: 'bg-warning-soft', ink: 'text-warning' },
  broken: { icon: AlertTriangle, ground: 'bg-danger-soft', ink: 'text-danger' },
};

function outcomeOf({ state, progress, rows, error }: ImportJob): { kind: keyof typeof looks; text: string } {
  const [done, all] = [number(progress.rowsDone), number(rows)];
  if (state === 'cancelled')
    return { kind: 'stopped', text: t('import.outcome.cancelled', { done, rows: all }) };
  if (state !== 'done') {
    const reason = error ? sayReason(error.reason, error.message) : t('error.title');
    return { kind: 'broken', text: t('import.outcome.failed', { done, rows: all, reason }) };
  }
  const written = progress.created + progress.updated;
  const skipped = progress.skipped > 0 ? ` ${tn('import.outcome.skipped', progress.skipped)}` : '';
  if (progress.failed === 0) {
    const text =
      written === progress.rowsDone ? tn('import.outcome.allIn', written) : tn('import.outcome.in', written);
    return { kind: 'good', text: text + skipped };
  }
  const text = t('import.outcome.someIn', { good: number(written), rows: done });
  return { kind: 'partly', text: text + skipped };
}

function Outcome({ current }: { current: ImportJob }) {
  const { kind, text } = outcomeOf(current);
  const { icon: Icon, ground, ink } = looks[kind];
  return (
    <p role="status" className={cx('flex items-start gap-2.5 rounded-control px-3 py-2', ground)}>
      <Icon className={cx('mt-0.5 size-4 shrink-0', ink)} />
      <span className="text-pretty">{text}</span>
    </p>
  );
}

function ResultButton({ current, only }: { current: ImportJob; only?: ImportResult }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    const base = current.fileName.replace(/\.[^.]+$/, '');
    const query = only ? `?only=${only}` : '';
    try {
      await downloadFile(`/crm/imports/${current.id}/results${query}`, `${base}-${only ?? 'results'}.csv`);
    } catch (error) {
      toast.failed(t('import.file.downloadFailed'), error, () => void download());
    }
    setBusy(false);
  };
  return (
    <Button
      tone={only ? 'primary' : 'plain'}
      icon={<Download className="size-3.5" />}
      busy={busy}
      onClick={() => void download()}
    >
      {only ? t('import.mend.download') : t('import.file.download')}
    </Button>
  );
}
