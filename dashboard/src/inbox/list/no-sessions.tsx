/** Why the list is empty, and the way on. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { AlarmClock, CircleCheck, Inbox, SearchX, UserRoundCheck } from 'lucide-react';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { type InboxFilter, isNarrowed } from '../data/inbox-filter.ts';
import { inboxQuery } from '../data/session-data.ts';

interface NoSessionsProps {
  filter: InboxFilter;
  onClear(): void;
  onAll(): void;
}

const icon = 'size-4';

export function NoSessions({ filter, onClear, onAll }: NoSessionsProps) {
  const { status, owner, ...others } = filter;
  if (owner && status === 'open' && !isNarrowed({ status, ...others })) {
    return (
      <EmptyState
        icon={<UserRoundCheck className={icon} />}
        title={owner === 'mine' ? t('inbox.owner.noneMine') : t('inbox.owner.noneWaiting')}
        text={owner === 'mine' ? t('inbox.owner.noneMineText') : t('inbox.owner.noneWaitingText')}
        action={<Button onClick={onClear}>{t('inbox.owner.showAll')}</Button>}
      />
    );
  }
  if (isNarrowed(filter)) {
    return (
      <EmptyState
        icon={<SearchX className={icon} />}
        title={t('inbox.noMatch.title')}
        text={t('inbox.noMatch.text')}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {status !== 'all' && <Button onClick={onAll}>{t('lifecycle.noMatch.all')}</Button>}
            <Button onClick={onClear}>{t('inbox.filter.clear')}</Button>
          </div>
        }
      />
    );
  }
  if (status === 'snoozed') {
    return (
      <EmptyState
        icon={<AlarmClock className={icon} />}
        title={t('lifecycle.empty.snoozed')}
        text={t('lifecycle.empty.snoozed.text')}
      />
    );
  }
  if (status === 'resolved') {
    return (
      <EmptyState
        icon={<CircleCheck className={icon} />}
        title={t('lifecycle.empty.resolved')}
        text={t('lifecycle.empty.resolved.text')}
      />
    );
  }
  return status === 'open' ? <NothingOpen /> : <NothingYet />;
}

/** All is done, or nothing has ever arrived. */
function NothingOpen() {
  const query = useInfiniteQuery(inboxQuery({ show: 'all', status: 'all' }));
  if (query.isPending) return null;
  if (!query.data?.pages.some(({ items }) => items.length > 0)) return <NothingYet />;
  return (
    <EmptyState
      icon={<CircleCheck className={icon} />}
      title={t('lifecycle.empty.open')}
      text={t('lifecycle.empty.open.text')}
    />
  );
}

function NothingYet() {
  const navigate = useNavigate();
  const may = useMay('channels.manage');
  return (
    <EmptyState
      icon={<Inbox className={icon} />}
      title={t('inbox.empty.title')}
      text={t('inbox.empty.text')}
      action={
        may && (
          <Button
            tone="primary"
            onClick={() => void navigate({ to: '/settings/$section', params: { section: 'channels' } })}
          >
            {t('inbox.empty.action')}
          </Button>
        )
      }
    />
  );
}
