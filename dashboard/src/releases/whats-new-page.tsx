/** What each release changed, the newest first. Opening it marks the newest release as read. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Release } from '../../../contract/releases.ts';
import { PageHeader } from '../app/page-header.tsx';
import { markReleaseSeen, releasesQuery, useHasNews } from '../data/releases.ts';
import { plainDate } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Markdown } from '../ui/display/markdown.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';

export function WhatsNewPage() {
  const query = useQuery(releasesQuery);
  const hasNews = useHasNews();
  const isShown = query.isSuccess;
  useEffect(() => {
    // On failure the mark stays until the next visit.
    if (isShown && hasNews) markReleaseSeen().catch(() => {});
  }, [isShown, hasNews]);
  return (
    <>
      <PageHeader title={t('news.title')} />
      <section
        aria-label={t('news.title')}
        className="min-h-0 flex-1 overflow-y-auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <div className="mx-auto flex max-w-[72ch] flex-col gap-8 px-4 py-6 md:px-6">
          {query.isPending && <NewsSkeleton />}
          {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
          {query.data?.items.map((release) => (
            <ReleaseSection key={release.version} release={release} />
          ))}
        </div>
      </section>
    </>
  );
}

function ReleaseSection({ release: { version, date, changes } }: { release: Release }) {
  return (
    <section aria-labelledby={version}>
      <h2 id={version} className="flex flex-wrap items-baseline gap-x-2 text-md font-semibold">
        {version}
        <time dateTime={date} className="text-sm font-normal text-muted">
          {plainDate(date)}
        </time>
      </h2>
      {/* The changelog is written in English. */}
      <ul lang="en" className="mt-2 flex list-disc flex-col gap-1.5 pl-5 marker:text-faint">
        {changes.map((change) => (
          <li key={change} className="text-pretty">
            <Markdown text={change} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const NewsSkeleton = () => (
  <div className="flex flex-col gap-2">
    <Skeleton className="h-6 w-40" />
    {[0, 1, 2, 3, 4].map((row) => (
      <Skeleton key={row} className="h-5" />
    ))}
  </div>
);
