/** What a text in the inbox's search field finds: people, labels and messages. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { FoundMessage } from '../../../../contract/messaging/message-search.ts';
import { useLabels } from '../../labels/label-data.ts';
import { shortDate } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button, Spinner } from '../../ui/controls/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/display/states.tsx';
import type { InboxFilter } from '../data/inbox-filter.ts';
import { inboxQuery } from '../data/session-data.ts';
import { type HitFilter, hitsQuery } from './hit-data.ts';
import { HitFilters } from './hit-filters.tsx';
import { LabelRow } from './label-row.tsx';
import { MessageHit } from './message-hit.tsx';
import { PersonRow } from './person-row.tsx';
import { useResultKeys } from './result-keys.ts';

const peopleAtFirst = 4;
const maxLabels = 5;

interface SearchResultsProps {
  filter: InboxFilter;
  openId: string | null;
  onClear(): void;
  /** Shows the conversations with the label instead of the results. */
  onLabel(id: string): void;
}

export function SearchResults({ filter, openId, onClear, onLabel }: SearchResultsProps) {
  const q = filter.q!.trim();
  const [own, setOwn] = useState<HitFilter>({});
  const [showsAll, setShowsAll] = useState(false);
  // A search finds conversations of every status and owner.
  const people = useInfiniteQuery(inboxQuery({ ...filter, status: 'all', owner: undefined }));
  const hits = useInfiniteQuery(hitsQuery(q, { ...own, channelId: filter.channelId }));
  const { message } = useSearch({ strict: false }) as { message?: string };
  const sessions: InboxSession[] = people.data?.pages.flatMap((page) => page.items) ?? [];
  const found: FoundMessage[] = hits.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = showsAll ? sessions : sessions.slice(0, peopleAtFirst);
  const wanted = q.toLocaleLowerCase();
  const labels = useLabels()
    .filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
    .slice(0, maxLabels);
  const list = useRef<HTMLDivElement>(null);
  const keys = useResultKeys(list, [
    ...shown.map(({ sessionId }) => sessionId),
    ...labels.map(({ id }) => id),
    ...found.map(({ id }) => id),
  ]);
  const total = hits.data?.pages[0]?.total ?? 0;
  const searchedFrom = hits.data?.pages[0]?.searchedFrom ?? null;
  const isFiltered = own.author !== undefined || own.from !== undefined || own.to !== undefined;
  if (hits.isError && people.isError) {
    return <ErrorState error={hits.error} onRetry={() => void hits.refetch()} />;
  }
  const isPending = people.isPending || hits.isPending;
  const isEmpty = !isPending && sessions.length + labels.length + total === 0;
  if (isEmpty && !isFiltered) {
    return (
      <EmptyState
        icon={<SearchX className="size-4" />}
        title={t('inbox.noMatch.title')}
        text={t('inbox.hits.nothing', { q })}
        action={<Button onClick={onClear}>{t('inbox.filter.clear')}</Button>}
      />
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links inside
    <div
      ref={list}
      onKeyDown={keys.onKeyDown}
      onFocus={keys.onFocus}
      className="min-h-0 flex-1 overflow-y-auto"
    >
      {shown.length > 0 && (
        <Section title={t('inbox.hits.people')}>
          {shown.map((session) => (
            <PersonRow
              key={session.sessionId}
              session={session}
              isOpen={session.sessionId === openId && message === undefined}
              isTabStop={keys.isTabStop(session.sessionId)}
            />
          ))}
          <More
            isThere={shown.length < sessions.length || (showsAll && people.hasNextPage)}
            isLoading={people.isFetchingNextPage}
            onClick={() => (showsAll ? void people.fetchNextPage() : setShowsAll(true))}
          />
        </Section>
      )}
      {labels.length > 0 && (
        <Section title={t('inbox.hits.labels')}>
          {labels.map((label) => (
            <LabelRow
              key={label.id}
              label={label}
              isTabStop={keys.isTabStop(label.id)}
              onChoose={() => onLabel(label.id)}
            />
          ))}
        </Section>
      )}
      <Section title={hits.isPending ? t('inbox.hits.messages') : tn('inbox.hits.count', total)} live>
        <HitFilters filter={own} onChange={setOwn} />
        {hits.isPending && <Skeleton className="mx-3 h-12" />}
        {hits.isError && <ErrorState error={hits.error} onRetry={() => void hits.refetch()} />}
        {found.map((hit) => (
          <MessageHit
            key={hit.id}
            hit={hit}
            q={q}
            isOpen={hit.id === message}
            isTabStop={keys.isTabStop(hit.id)}
          />
        ))}
        {!hits.isPending && total === 0 && (
          <p className="px-3 py-4 text-center text-muted">{t('inbox.hits.none')}</p>
        )}
        <More
          isThere={hits.hasNextPage}
          isLoading={hits.isFetchingNextPage}
          onClick={() => void hits.fetchNextPage()}
        />
        {searchedFrom !== null && (
          <p className="px-3 py-2 text-sm text-muted">
            {t('inbox.hits.searchedFrom', { date: shortDate(searchedFrom) })}
          </p>
        )}
      </Section>
    </div>
  );
}

function Section({ title, live, children }: { title: string; live?: boolean; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 aria-live={live ? 'polite' : undefined} className="px-3 pt-3 pb-1.5 text-sm font-medium text-muted">
        {title}
      </h2>
      {children}
    </section>
  );
}

function More({ isThere, isLoading, onClick }: { isThere: boolean; isLoading: boolean; onClick(): void }) {
  if (!isThere) return null;
  return (
    <div className="flex justify-center py-1.5">
      <Button tone="quiet" size="small" icon={isLoading ? <Spinner /> : undefined} onClick={onClick}>
        {t('inbox.hits.more')}
      </Button>
    </div>
  );
}
