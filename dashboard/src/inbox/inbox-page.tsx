/** List, conversation, context side by side; one at a time on a phone. */
import './data/inbox-live.ts';
import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { type CSSProperties, lazy, Suspense, useDeferredValue, useMemo, useRef, useState } from 'react';
import { PageHeader } from '../app/page-header.tsx';
import { useRemembered } from '../app/remembered.ts';
import { useShortcut } from '../app/shortcuts.tsx';
import { MacroDialogs } from '../macros/macro-actions.tsx';
import { t, withTexts } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { SearchInput } from '../ui/controls/input.tsx';
import { Segmented } from '../ui/controls/segmented.tsx';
import { EmptyState } from '../ui/display/states.tsx';
import { type InboxFilter, type Owner, owners, type Show, shows } from './data/inbox-filter.ts';
import { BulkBar } from './lifecycle/bulk-bar.tsx';
import { selection, useSelectedCount } from './lifecycle/selection.ts';
import { labelling } from './lifecycle/session-requests.ts';
import { SnoozeDialog } from './lifecycle/snooze-dialog.tsx';
import { StatusMenu } from './lifecycle/status-menu.tsx';
import { useTriageKeys } from './lifecycle/triage-keys.ts';
import { useTriage } from './lifecycle/use-triage.ts';
import { FilterMenu } from './list/filter-menu.tsx';
import { OwnerTabs } from './list/owner-tabs.tsx';
import { SessionList } from './list/session-list.tsx';
import { Resizer } from './resizer.tsx';
import { searchesFrom } from './search/hit-data.ts';
import { focusFirstResult } from './search/result-keys.ts';
import { SearchResults } from './search/search-results.tsx';
import { StartButton } from './start/start-button.tsx';

const LabelSessions = lazy(withTexts('labels', () => import('./lifecycle/label-sessions.tsx')));

export function InboxPage() {
  const { sessionId } = useParams({ strict: false }) as { sessionId?: string };
  const [width, setWidth] = useRemembered('inbox-list-width', 320);
  return (
    <div className="flex min-h-0 flex-1">
      <section
        aria-label={t('inbox.list')}
        style={{ '--list-width': `${width}px` } as CSSProperties}
        className={cx(
          'flex min-w-0 flex-col max-md:flex-1 md:w-(--list-width) md:shrink-0',
          sessionId && 'max-md:hidden',
        )}
      >
        <ListPane sessionId={sessionId ?? null} />
      </section>
      <Resizer
        label={t('inbox.resizeList')}
        width={width}
        onChange={setWidth}
        min={260}
        max={480}
        pane="before"
      />
      <div className={cx('flex min-w-0 flex-1', !sessionId && 'max-md:hidden')}>
        {sessionId ? <Outlet /> : <Unchosen />}
      </div>
    </div>
  );
}

function Unchosen() {
  return (
    <EmptyState
      className="bg-canvas"
      icon={<Inbox className="size-4" />}
      title={t('inbox.choose.title')}
      text={t('inbox.choose.text')}
    />
  );
}

function ListPane({ sessionId }: { sessionId: string | null }) {
  const navigate = useNavigate();
  const [filter, choose] = useState<InboxFilter>({ show: 'all', status: 'open' });
  const act = useTriage();
  const isSelecting = useSelectedCount() > 0;
  const isLabelling = labelling.use().length > 0;
  const search = useRef<HTMLInputElement>(null);
  const [remembered, rememberOwner] = useRemembered<Owner>('inbox-owner', 'all');
  // The browser may hold anything.
  const owner = owners.find((one) => one === remembered) ?? 'all';
  const whole = useMemo(() => (owner === 'all' ? filter : { ...filter, owner }), [filter, owner]);
  const deferred = useDeferredValue(whole);
  const isSearching = (deferred.q?.trim().length ?? 0) >= searchesFrom;
  useTriageKeys(sessionId, isSearching, act);
  const setFilter = (next: InboxFilter) => {
    selection.clear();
    choose(next);
  };
  const setOwner = (next: Owner) => {
    selection.clear();
    rememberOwner(next);
  };
  const clear = () => {
    setFilter({ show: 'all', status: filter.status });
    setOwner('all');
  };
  useShortcut('/', () => search.current?.focus(), { label: t('shortcuts.search'), group: 'inbox' });
  useShortcut('escape', () => void navigate({ to: '/inbox' }), {
    label: t('inbox.keys.leave'),
    group: 'inbox',
    // Escape clears the selection first.
    enabled: sessionId !== null && !isSelecting,
  });
  const label: { [show in Show]: string } = {
    all: t('inbox.show.all'),
    unread: t('inbox.show.unread'),
    attention: t('inbox.show.attention'),
    paused: t('inbox.show.paused'),
  };
  return (
    <>
      <PageHeader
        title={t('inbox.title')}
        actions={
          <>
            <FilterMenu filter={filter} onChange={setFilter} />
            <StartButton />
          </>
        }
      >
        <StatusMenu status={filter.status} onChange={(status) => setFilter({ ...filter, status })} />
      </PageHeader>
      <OwnerTabs value={owner} onChange={setOwner} status={filter.status} />
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 py-2">
        <SearchInput
          ref={search}
          label={t('inbox.search')}
          value={filter.q ?? ''}
          onChange={(q) => setFilter({ ...filter, q: q || undefined })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
            if (event.key === 'ArrowDown') focusFirstResult();
          }}
        />
        <Segmented
          label={t('inbox.show')}
          value={filter.show}
          onChange={(show) => setFilter({ ...filter, show })}
          segments={shows.map((value) => ({ value, label: label[value] }))}
        />
      </div>
      {isSearching ? (
        <SearchResults
          filter={deferred}
          openId={sessionId}
          onClear={clear}
          onLabel={(id) => {
            setFilter({ ...filter, q: undefined, labelIds: [id] });
            // The chosen result is gone, and the focus with it.
            search.current?.focus();
          }}
        />
      ) : (
        <SessionList
          filter={deferred}
          openId={sessionId}
          onClear={clear}
          onAll={() => setFilter({ ...filter, status: 'all' })}
        />
      )}
      <BulkBar act={act} />
      <SnoozeDialog act={act} />
      <MacroDialogs />
      <Suspense>{isLabelling && <LabelSessions />}</Suspense>
    </>
  );
}
