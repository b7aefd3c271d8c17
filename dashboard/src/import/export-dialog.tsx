/** Exports the cards that the board currently shows; says how many before. */
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import type { summaryQuery } from '../board/data/board-data.ts';
import type { filterQuery } from '../board/data/board-look.ts';
import { describeError } from '../data/errors.ts';
import { downloadFile } from '../data/transfer.ts';
import { bytes } from '../texts/format.ts';
import { t, tn } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Switch } from '../ui/controls/switch.tsx';
import { ProgressBar } from '../ui/display/progress.tsx';
import { Skeleton } from '../ui/display/states.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toast } from '../ui/overlays/toast.tsx';

export interface ExportDialogProps {
  board: Kanban;
  /** The filters in words. */
  shown: { q?: string | undefined; conditions: string };
  /** Passed in by the board: importing it here would split its small modules into separate files in the first load. */
  query: ReturnType<typeof filterQuery>;
  summary: ReturnType<typeof summaryQuery>;
  onClose(): void;
}

export default function ExportDialog({ board, shown, query, summary: counting, onClose }: ExportDialogProps) {
  const summary = useQuery({ ...counting, staleTime: 0, placeholderData: undefined });
  const [received, setReceived] = useState<number | null>(null);
  const [refusal, setRefusal] = useState('');
  const [areNamesShown, setNamesShown] = useState(true);
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const download = async () => {
    abort.current = new AbortController();
    setRefusal('');
    setReceived(0);
    const params = new URLSearchParams({ kanbanId: board.id });
    for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
    if (areNamesShown) params.set('names', 'true');
    try {
      await downloadFile(`/crm/export?${params}`, `records-${board.slug}.csv`, {
        signal: abort.current.signal,
        onProgress: setReceived,
      });
      toast.done(t('import.export.done'));
      onClose();
    } catch (error) {
      setReceived(null);
      if ((error as Error).name === 'AbortError') return;
      setRefusal(t('import.export.failed', { reason: describeError(error).text }));
    }
  };
  const count = summary.data?.count;
  const isBusy = received !== null;
  const isFiltered = Boolean(query.q || query.filter);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('import.export.title', { name: board.name })}
      description={t('import.export.text')}
      footer={
        <>
          <Button onClick={() => (isBusy ? abort.current?.abort() : onClose())}>{t('ui.cancel')}</Button>
          <Button
            tone="primary"
            busy={isBusy}
            disabled={!count}
            icon={<Download className="size-3.5" />}
            onClick={() => void download()}
          >
            {t('import.export.download')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p role="status" className="font-medium">
          {summary.isError ? (
            describeError(summary.error).text
          ) : count === undefined ? (
            <Skeleton className="h-5 w-40" />
          ) : isFiltered ? (
            tn('import.export.filtered', count)
          ) : (
            tn('import.export.all', count)
          )}
        </p>
        <Switch
          checked={areNamesShown}
          onChange={setNamesShown}
          disabled={isBusy}
          label={t('import.export.names')}
          hint={t('import.export.namesHint')}
        />
        {isFiltered && <Filters shown={shown} />}
        {isBusy && (
          <div className="flex flex-col gap-1">
            <ProgressBar label={t('import.export.progress')} share={null} valueText={bytes(received)} />
            <p className="tabular text-sm text-muted">
              {t('import.export.received', { size: bytes(received) })}
            </p>
          </div>
        )}
        {refusal && (
          <p role="alert" className="text-danger">
            {refusal}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function Filters({ shown: { q, conditions } }: Pick<ExportDialogProps, 'shown'>) {
  const parts = [
    q && { name: t('import.export.filter.text'), value: q },
    conditions && { name: t('board.filter'), value: conditions },
  ].filter((part) => typeof part === 'object');
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
      {parts.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="font-medium text-pretty">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
