import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { BellOff, CheckCheck, Settings } from 'lucide-react';
import type { Notification } from '../../../contract/realtime.ts';
import { notificationsQuery } from '../data/notifications.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { Time } from '../ui/display/time.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { markAllNotificationsRead, markNotificationRead } from './mark-read.ts';
import { notificationIcons, openNotification, wordsOf } from './notification-words.tsx';

export default function NotificationList({ onLeave }: { onLeave(): void }) {
  const navigate = useNavigate();
  const query = useQuery(notificationsQuery);
  const { items = [], unread = 0 } = query.data ?? {};
  const failed = (error: unknown) => toast.failed(t('notify.failed'), error);
  const open = (one: Notification) => {
    onLeave();
    if (one.readAt === null) void markNotificationRead(one).catch(failed);
    openNotification(one, navigate);
  };
  return (
    <>
      <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line pr-1.5 pl-3">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{t('rail.notifications')}</h2>
        <Button
          tone="quiet"
          size="small"
          icon={<CheckCheck className="size-3.5" />}
          disabled={unread === 0}
          onClick={() => void markAllNotificationsRead().catch(failed)}
        >
          {t('notify.allRead')}
        </Button>
        <Link
          to="/settings/$section"
          params={{ section: 'notifications' }}
          onClick={onLeave}
          aria-label={t('notify.settings')}
          title={t('notify.settings')}
          className="flex size-7 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
        >
          <Settings className="size-4" />
        </Link>
      </header>
      {query.isPending && <Skeleton className="m-3 h-10" />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && items.length === 0 && (
        <div className="flex flex-col items-center gap-1 px-6 py-10 text-center">
          <BellOff aria-hidden className="mb-1 size-5 text-faint" />
          <p className="font-medium">{t('notify.empty')}</p>
          <p className="text-pretty text-muted">{t('notify.emptyText')}</p>
        </div>
      )}
      <ul className="min-h-0 overflow-y-auto p-1">
        {items.map((one) => (
          <li key={one.id}>
            <Row notification={one} onOpen={() => open(one)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ notification, onOpen }: { notification: Notification; onOpen(): void }) {
  const { title, body } = wordsOf(notification);
  const { kind, readAt, count, updatedAt } = notification;
  const isNew = readAt === null;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex w-full items-start gap-2.5 rounded-control px-2 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
    >
      <span aria-hidden className={cx('mt-0.5 shrink-0', isNew ? 'text-accent-ink' : 'text-faint')}>
        {notificationIcons[kind]}
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex items-baseline gap-2">
          <span className={cx('min-w-0 flex-1 truncate', isNew ? 'font-semibold' : 'text-muted')}>
            {title}
          </span>
          <Time at={updatedAt} className="tabular shrink-0 text-sm text-faint" />
        </span>
        <span className="line-clamp-2 text-sm text-muted">{body}</span>
        {count > 1 && <span className="text-sm text-faint">{t('notify.count', { count })}</span>}
      </span>
      <span
        aria-hidden
        className={cx('mt-1.5 size-2 shrink-0 rounded-full', isNew ? 'bg-accent' : 'bg-transparent')}
      />
      {isNew && <span className="sr-only">{t('notify.new')}</span>}
    </button>
  );
}
