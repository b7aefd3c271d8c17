import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useChannels } from '../data/queries.ts';
import { customerName } from '../texts/customer-name.ts';
import { t, tn } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { Badge } from '../ui/display/badge.tsx';
import { ChannelIcon } from '../ui/display/channel-icon.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { Time } from '../ui/display/time.tsx';
import { contactSessionsQuery } from './contact-data.ts';
import { ContactPart, rowClass, rowsClass } from './contact-part.tsx';

export function ContactConversations({ contactId }: { contactId: string }) {
  const query = useInfiniteQuery(contactSessionsQuery(contactId));
  const channels = useChannels();
  const sessions = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <ContactPart title={t('contacts.conversationsTitle')}>
      {query.isPending && <Skeleton className="h-10" />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && sessions.length === 0 && <p className="text-muted">{t('contacts.noConversations')}</p>}
      {sessions.length > 0 && (
        <ul aria-label={t('contacts.conversationsTitle')} className={rowsClass}>
          {sessions.map((session) => (
            <li key={session.sessionId} className={cx(rowClass, 'p-0!')}>
              <Link
                to="/inbox/$sessionId"
                params={{ sessionId: session.sessionId }}
                className="flex min-h-10 min-w-0 flex-1 items-center gap-2.5 px-3 hover:bg-hover focus-visible:-outline-offset-2"
              >
                <ChannelIcon type={session.channelType} className="size-4 shrink-0 text-faint" />
                <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
                  <span title={customerName(session)} className="truncate font-medium">
                    {customerName(session)}
                  </span>
                  <span className="truncate text-sm text-muted">
                    {channels.find(({ id }) => id === session.channelId)?.name}
                  </span>
                </span>
                {session.unread > 0 && <Badge hue="blue">{tn('board.unread', session.unread)}</Badge>}
                {session.status !== 'open' && <Badge>{t(`contacts.status.${session.status}`)}</Badge>}
                <Time at={session.lastMessageAt} className="tabular text-sm text-faint" />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button
          tone="quiet"
          className="self-start"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('ui.loadMore')}
        </Button>
      )}
    </ContactPart>
  );
}
