import { useQuery } from '@tanstack/react-query';
import { Bell as BellIcon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { notificationsQuery } from '../data/notifications.ts';
import { t, tn, withTexts } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Spinner } from '../ui/controls/button.tsx';
import { Popover } from '../ui/overlays/popover.tsx';

const NotificationList = lazy(withTexts('notifications', () => import('./notification-list.tsx')));

/** In the rail: the number of unread notifications, and their list. */
export function Bell({ folded, look }: { folded: boolean; look: string }) {
  const [open, setOpen] = useState(false);
  const unread = useQuery(notificationsQuery).data?.unread ?? 0;
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t('rail.notifications')}
      className="flex max-h-[min(560px,80vh)] w-[360px] max-w-[calc(100vw-16px)] flex-col"
      trigger={
        <button type="button" className={cx(look, 'relative')}>
          <span className="flex size-4 shrink-0 items-center justify-center">
            <BellIcon className="size-4" />
          </span>
          <span className={folded ? 'sr-only' : 'min-w-0 flex-1 truncate text-left'}>
            {t('rail.notifications')}
          </span>
          {unread > 0 && (
            <>
              <span className="sr-only">{tn('rail.unread', unread)}</span>
              <span
                aria-hidden
                title={tn('rail.unread', unread)}
                className={
                  folded
                    ? 'absolute top-0.5 right-1.5 size-2 rounded-full bg-accent'
                    : 'tabular rounded-full bg-accent-soft px-1.5 text-xs leading-4 font-semibold text-accent-ink'
                }
              >
                {folded ? '' : unread > 99 ? '99+' : unread}
              </span>
            </>
          )}
        </button>
      }
    >
      <Suspense fallback={<Spinner className="m-6 self-center" />}>
        <NotificationList onLeave={() => setOpen(false)} />
      </Suspense>
    </Popover>
  );
}
