/** Everyone who has written: by name or identifier, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { SearchX, Users } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { PageHeader } from '../app/page-header.tsx';
import { useShortcut } from '../app/shortcuts.tsx';
import { currentPerson, onSession } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { SearchInput } from '../ui/controls/input.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/display/states.tsx';
import { VirtualList } from '../ui/lists/virtual-list.tsx';
import { contactsQuery } from './contact-data.ts';
import { useContactKeys } from './contact-keys.ts';
import { ContactRow } from './contact-row.tsx';

const debounceMs = 150;
/** Back from a contact, the list is as it was. */
let lastSearch = '';
onSession(() => {
  if (currentPerson() === null) lastSearch = '';
});

export function ContactsPage() {
  const [text, setText] = useState(lastSearch);
  const q = useDebounced(text.trim());
  const search = useRef<HTMLInputElement>(null);
  const query = useInfiniteQuery(contactsQuery(q));
  const contacts = query.data?.pages.flatMap((page) => page.items) ?? [];
  const keys = useContactKeys(contacts);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  useEffect(() => {
    lastSearch = q;
  }, [q]);
  useShortcut('/', () => search.current?.focus(), { label: t('contacts.search'), group: 'list' });
  return (
    <>
      <PageHeader
        title={t('rail.contacts')}
        actions={
          <SearchInput
            ref={search}
            label={t('contacts.search')}
            className="w-64 max-sm:w-44"
            value={text}
            onChange={setText}
            onKeyDown={keys.fromSearch}
          />
        }
      />
      {query.isPending && <Waiting />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && contacts.length === 0 && <NoContacts q={q} />}
      {contacts.length > 0 && (
        <VirtualList
          label={t('rail.contacts')}
          items={contacts}
          itemKey={({ id }) => id}
          estimate={56}
          remember={`contacts ${q}`}
          onEndNear={loadMore}
          active={keys.at}
          pinned={Math.max(0, keys.at)}
          render={(contact, index) => (
            <ContactRow contact={contact} isTabStop={index === Math.max(0, keys.at)} keys={keys} />
          )}
        />
      )}
      <p aria-live="polite" className="sr-only">
        {q !== '' && !query.isFetching && contacts.length === 0 ? t('ui.nothingFound') : ''}
      </p>
    </>
  );
}

const NoContacts = ({ q }: { q: string }) =>
  q === '' ? (
    <EmptyState
      icon={<Users className="size-4" />}
      title={t('contacts.empty')}
      text={t('contacts.emptyText')}
    />
  ) : (
    <EmptyState
      icon={<SearchX className="size-4" />}
      title={t('contacts.nobody', { text: q })}
      text={t('contacts.nobodyText')}
    />
  );

const Waiting = () => (
  <div role="status" aria-label={t('ui.loading')} className="flex flex-col">
    {[0, 1, 2, 3, 4, 5].map((row) => (
      <div key={row} className="flex h-14 items-center gap-3 border-b border-line px-4">
        <Skeleton className="size-8 rounded-full" />
        <div className="flex flex-1 flex-col gap-1.5">
          <Skeleton className="h-3 w-40" />
          <Skeleton className="h-2.5 w-56 max-w-full" />
        </div>
      </div>
    ))}
  </div>
);

function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
