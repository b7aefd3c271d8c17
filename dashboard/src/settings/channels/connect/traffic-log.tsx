/** What came in and what went out, newest first, with the reason of each failure. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowDownLeft, ArrowUpRight, PackageOpen, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { ConnectorLogEntry } from '../../../../../contract/connectors.schemas.ts';
import { connectorStates } from '../../../../../contract/connectors.ts';
import { t } from '../../../texts/texts.ts';
import { cx } from '../../../ui/class-names.ts';
import { Button, IconButton } from '../../../ui/controls/button.tsx';
import { Badge } from '../../../ui/display/badge.tsx';
import { Time } from '../../../ui/display/time.tsx';
import type { Hue } from '../../../ui/hues.ts';
import { toast } from '../../../ui/overlays/toast.tsx';
import { EntityList, LoadMore } from '../../parts/entity-list.tsx';
import { RowIcon } from '../../parts/rows.tsx';
import { Answer, RowsSkeleton } from '../../parts/section.tsx';
import { logQuery, retryEntry } from './connector-data.ts';

export default function TrafficLog({ channelId }: { channelId: string }) {
  const log = useInfiniteQuery(logQuery(channelId));
  const all = log.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <p className="text-pretty text-muted">{t('connectors.log.text')}</p>
        <IconButton label={t('deliveries.refresh')} onClick={() => void log.refetch()}>
          <RotateCw className="size-4" />
        </IconButton>
      </div>
      <Answer query={log} loading={<RowsSkeleton rows={6} />}>
        {() => (
          <EntityList
            label={t('connectors.log')}
            items={all}
            empty={{
              icon: <PackageOpen className="size-4" />,
              title: t('connectors.log.empty'),
              text: t('connectors.log.emptyText'),
            }}
            row={(entry) => <Entry key={entry.id} entry={entry} channelId={channelId} />}
          />
        )}
      </Answer>
      <LoadMore query={log} />
    </div>
  );
}

/** The service names a change of the connection `state: connected`. A customer's words are never taken for it. */
function summaryOf({ summary, customer, direction }: ConnectorLogEntry): string {
  const state = connectorStates.find((one) => summary === `state: ${one}`);
  if (state === undefined || customer !== null || direction !== 'in') return summary;
  return `${t('connectors.connection')}: ${t(`connectors.state.${state}`)}`;
}

const isInbound = ({ direction }: ConnectorLogEntry) => direction === 'in';

function Entry({ entry, channelId }: { entry: ConnectorLogEntry; channelId: string }) {
  const { at, reason, canRetry } = entry;
  const summary = summaryOf(entry);
  const Icon = isInbound(entry) ? ArrowDownLeft : ArrowUpRight;
  const direction = isInbound(entry) ? t('connectors.log.in') : t('connectors.log.out');
  return (
    <li className="flex items-start gap-3 border-b border-line px-3 py-2.5 last:border-0">
      <RowIcon>
        <Icon role="img" aria-label={direction} className="size-4" />
      </RowIcon>
      <div className="flex min-w-0 flex-1 flex-col">
        <span className="flex min-w-0 items-center gap-2">
          <Subject entry={entry} direction={direction} />
          <LogState state={entry.state} />
        </span>
        {summary && (
          <span title={summary} className="line-clamp-2 text-muted wrap-anywhere">
            {summary}
          </span>
        )}
        {reason && (
          <span
            className={cx(
              'text-pretty wrap-anywhere',
              entry.state === 'failed' ? 'text-danger' : 'text-muted',
            )}
          >
            {reason}
          </span>
        )}
      </div>
      <div className="flex shrink-0 flex-col items-end gap-1">
        <Time ago at={at} className="tabular text-sm text-muted" />
        {canRetry && <RetryButton channelId={channelId} entryId={entry.id} />}
      </div>
    </li>
  );
}

/** The customer, with a link to the conversation where there is one. */
function Subject({ entry, direction }: { entry: ConnectorLogEntry; direction: string }) {
  const { customer, sessionId } = entry;
  const title = customer ?? undefined;
  if (sessionId === null) {
    return (
      <span title={title} className="truncate font-medium">
        {customer ?? direction}
      </span>
    );
  }
  return (
    <Link
      to="/inbox/$sessionId"
      params={{ sessionId }}
      title={title}
      className="truncate font-medium hover:underline"
    >
      {customer ?? direction}
    </Link>
  );
}

const hues: { [state in ConnectorLogEntry['state']]: Hue | undefined } = {
  done: 'green',
  waiting: 'blue',
  dropped: undefined,
  failed: 'red',
};

const LogState = ({ state }: Pick<ConnectorLogEntry, 'state'>) => (
  <Badge hue={hues[state]}>{t(`connectors.log.state.${state}`)}</Badge>
);

function RetryButton({ channelId, entryId }: { channelId: string; entryId: string }) {
  const [busy, setBusy] = useState(false);
  const retry = async () => {
    setBusy(true);
    try {
      await retryEntry(channelId, entryId);
      toast.done(t('connectors.log.retried'));
    } catch (error) {
      toast.failed(t('connectors.log.retryFailed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="small" busy={busy} onClick={() => void retry()}>
      {t('ui.retry')}
    </Button>
  );
}
