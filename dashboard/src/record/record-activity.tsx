import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Activity } from '../../../contract/dashboard.ts';
import { toPlainText } from '../../../contract/markdown/markdown.ts';
import { fieldName } from '../board/data/board-live.ts';
import { usePersonOf } from '../data/queries.ts';
import { isEmptyValue, valueText } from '../fields/field-value.tsx';
import { t, withTexts } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { Dot } from '../ui/display/badge.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { Time } from '../ui/display/time.tsx';
import { activityQuery } from './record-data.ts';

const LabelNames = lazy(withTexts('labels', () => import('../labels/label-names.tsx')));

export function RecordActivity({ record, board }: { record: CrmRecord; board: Kanban }) {
  const query = useInfiniteQuery(activityQuery(record.recordId));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section className="border-t border-line px-5 py-4">
      <h3 className="mb-2 font-medium">{t('record.activity')}</h3>
      {query.isPending && <Skeleton className="h-16" />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      <ol className="flex flex-col gap-2.5">
        {items.map((item) => (
          <ActivityItem key={item.id} item={item} board={board} />
        ))}
      </ol>
      {query.hasNextPage && (
        <Button
          tone="quiet"
          className="mt-2"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('ui.loadMore')}
        </Button>
      )}
    </section>
  );
}

function ActivityItem({ item, board }: { item: Activity; board: Kanban }) {
  const name = item.by.name ?? t('board.someone');
  return (
    <li className="flex items-start gap-2 text-muted">
      <Avatar id={item.by.id} name={name} tip={false} />
      <p className="min-w-0 flex-1 break-words">
        <span className="font-medium text-ink">{name}</span> <What item={item} board={board} />
      </p>
      <Time at={item.at} className="tabular shrink-0 text-sm text-faint" />
    </li>
  );
}

const cardWords = {
  task_created: () => t('record.activity.task'),
  task_done: () => t('record.activity.taskDone'),
  comment: () => t('record.activity.comment'),
};

function What({ item, board }: { item: Activity; board: Kanban }) {
  if (item.kind === 'created') return <>{t('record.activity.created')}</>;
  if (item.kind === 'changed') return <Change item={item} board={board} />;
  const text = item.kind === 'comment' ? toPlainText(item.text ?? '') : (item.text ?? '');
  return (
    <>
      {cardWords[item.kind]()}{' '}
      <span title={text} className={item.kind === 'comment' ? 'line-clamp-2 text-ink' : 'text-ink'}>
        {text}
      </span>
    </>
  );
}

function Change({ item, board }: { item: Activity; board: Kanban }) {
  const field = fieldName(board, item.fieldId ?? '');
  const shown = field === item.fieldId ? (item.fieldName ?? field) : field;
  if (isEmptyValue(item.newValue)) return <>{t('record.activity.cleared', { field: shown })}</>;
  return (
    <>
      {isEmptyValue(item.oldValue)
        ? t('record.activity.set', { field: shown })
        : t('record.activity.changed', { field: shown })}{' '}
      {!isEmptyValue(item.oldValue) && (
        <>
          <span className="line-through decoration-faint/60">
            <Value item={item} value={item.oldValue} board={board} />
          </span>{' '}
          →{' '}
        </>
      )}
      <span className="text-ink">
        <Value item={item} value={item.newValue} board={board} />
      </span>
    </>
  );
}

function Value({ item, value, board }: { item: Activity; value: unknown; board: Kanban }): ReactNode {
  const personOf = usePersonOf();
  if (item.fieldId === 'status') {
    const status = board.statuses.find((one) => one.value === value);
    return (
      <span className="inline-flex items-center gap-1.5">
        {status && <Dot color={status.color} />}
        {status?.label ?? String(value)}
      </span>
    );
  }
  if (item.fieldId === 'assignedUserIds') {
    return (value as string[]).map((id) => personOf(id)?.name ?? t('record.gone')).join(', ');
  }
  if (item.fieldId === 'labelIds') {
    return (
      <Suspense>
        <LabelNames ids={value as string[]} />
      </Suspense>
    );
  }
  const field = board.fields.find(({ id }) => id === item.fieldId) ?? { type: 'text' as const };
  const text = valueText(field, value);
  return <span title={text}>{text.length > 120 ? `${text.slice(0, 120)}…` : text}</span>;
}
