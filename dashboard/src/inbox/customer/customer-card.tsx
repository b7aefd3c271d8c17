import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useCallback } from 'react';
import type { RecordUpdate } from '../../../../contract/crm/records.ts';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { changeRecords } from '../../board/data/board-actions.ts';
import { useKanbans } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { recordQuery } from '../../record/record-data.ts';
import { RecordFields } from '../../record/record-fields.tsx';
import { StatusText } from '../../record/status-menu.tsx';
import { TitleEditor } from '../../record/title-editor.tsx';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { Select } from '../../ui/controls/select.tsx';
import { Dot } from '../../ui/display/badge.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';

export function CustomerCard({ session: { recordId } }: { session: InboxSession }) {
  const seesRecords = useMay('records.view');
  const mayEdit = useMay('records.edit');
  const query = useQuery({ ...recordQuery(recordId ?? ''), enabled: recordId !== null && seesRecords });
  const boards = useKanbans();
  const record = query.data;
  const board = boards.find(({ id }) => id === record?.kanbanId);
  const change = useCallback(
    (update: RecordUpdate) => {
      if (record) void changeRecords([record], update);
    },
    [record],
  );
  if (!seesRecords) return null;
  if (recordId === null) return <p className="px-5 py-4 text-muted">{t('inbox.context.noCard')}</p>;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!record || !board) {
    return (
      <div role="status" aria-label={t('ui.loading')} className="flex flex-col gap-3 p-5">
        <Skeleton className="h-6 w-2/3" />
        <Skeleton className="h-8" />
        <Skeleton className="h-5" />
        <Skeleton className="h-5" />
      </div>
    );
  }
  return (
    <section aria-label={t('inbox.context.card')} className="pt-3">
      <div className="flex items-start gap-1 px-5">
        <div className="min-w-0 flex-1 [&_h2]:text-lg! [&_textarea]:text-lg!">
          <TitleEditor
            key={recordId}
            value={shownTitle(record.title)}
            onCommit={(title) => change({ title })}
          />
        </div>
        <Link
          to="/boards/$boardId/records/$recordId"
          params={{ boardId: board.slug, recordId }}
          aria-label={t('inbox.context.openCard')}
          title={t('inbox.context.openCard')}
          className="mt-1 flex size-7 shrink-0 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
        >
          <ExternalLink className="size-4" />
        </Link>
      </div>
      <div className="px-5 py-2">
        {mayEdit ? (
          <Select
            label={t('record.field.status')}
            value={record.status}
            onChange={(status) => change({ status })}
            options={board.statuses.map(({ value, label, color }) => ({
              value,
              label,
              mark: <Dot color={color} />,
            }))}
          />
        ) : (
          <StatusText board={board} value={record.status} />
        )}
      </div>
      {/* The pane is narrower than the record's panel. */}
      <div className="[&_.w-36]:w-28">
        <RecordFields record={record} board={board} onChange={change} />
      </div>
    </section>
  );
}
