/** The conversations behind a figure, as far as the reader may see them. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dateTime } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Badge } from '../ui/display/badge.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/display/states.tsx';
import { Panel } from '../ui/overlays/panel.tsx';
import {
  type Behind,
  conversationsQuery,
  type ReportScope,
  type ReportWithConversations,
} from './report-data.ts';
import { dollars } from './report-format.ts';

export default function ConversationsPanel<Name extends ReportWithConversations>({
  report,
  scope,
  behind,
  onClose,
}: {
  report: Name;
  scope: ReportScope;
  behind: Behind[Name];
  onClose(): void;
}) {
  const query = useInfiniteQuery(conversationsQuery(report, scope, behind));
  const items = query.data?.pages.flatMap((page) => page.items);
  return (
    <Panel
      label={behind.label}
      header={<h2 className="truncate font-semibold">{behind.label}</h2>}
      onClose={onClose}
    >
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !items ? (
        <div className="flex flex-col gap-3 p-4">
          <Skeleton className="h-5" />
          <Skeleton className="h-5" />
        </div>
      ) : items.length === 0 ? (
        <EmptyState title={t('reports.ai.none')} text={t('reports.ai.noneText')} />
      ) : (
        <ul aria-label={t('reports.ai.conversations')}>
          {items.map(({ sessionId, sessionName, count, cost = 0, lastAt }) => (
            <li key={sessionId} className="flex min-h-11 items-center gap-3 border-b border-line px-4">
              <Link
                to="/inbox/$sessionId"
                params={{ sessionId }}
                className="min-w-0 flex-1 truncate hover:underline"
              >
                {sessionName ?? sessionId}
              </Link>
              {cost > 0 && <span className="tabular shrink-0 text-sm text-muted">{dollars(cost)}</span>}
              {count > 1 && <Badge>{t('reports.ai.times', { count })}</Badge>}
              <time className="shrink-0 text-sm text-muted">{dateTime(lastAt)}</time>
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button
          tone="quiet"
          className="m-3 self-start"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('ui.loadMore')}
        </Button>
      )}
    </Panel>
  );
}
