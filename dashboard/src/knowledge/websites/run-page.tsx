/** One run: what became of each page, and why. While it waits for a review, a person publishes or discards it here. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileSearch } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import type { KnowledgeRun, KnowledgeRunPage, PageVerdict } from '../../../../contract/knowledge.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { PageHeader } from '../../app/page-header.tsx';
import { useMay } from '../../data/session.ts';
import { EntityList, LoadMore } from '../../settings/parts/entity-list.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { dateTime, number } from '../../texts/format.ts';
import { language, t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Badge } from '../../ui/display/badge.tsx';
import type { Hue } from '../../ui/hues.ts';
import { runPagesQuery, runQuery, sourcesQuery } from '../knowledge-data.ts';
import { BackLink, Notice, PageBody, RunState, toItem } from '../knowledge-parts.tsx';
import { explain, inOwnWords } from '../service-words.ts';
import { RunProgress } from './last-run.tsx';
import { RunActions } from './run-actions.tsx';
import { verdicts } from './run-counts.ts';

const QualityPreview = lazyView(() => import('../questions/quality.tsx'), 'QualityPreview');

const hues: { [verdict in PageVerdict]: Hue | undefined } = {
  added: 'green',
  changed: 'blue',
  unchanged: undefined,
  gone: 'yellow',
  skipped: undefined,
  failed: 'red',
};

export function RunPage({ id }: { id: string }) {
  const query = useQuery(runQuery(id));
  const sources = useQuery(sourcesQuery);
  const run = query.data;
  const source = sources.data?.find((one) => one.id === run?.sourceId);
  return (
    <>
      <PageHeader
        title={source ? t('knowledge.run.of', { name: source.name }) : t('knowledge.run')}
        mark={
          run ? (
            <BackLink to={toItem('sources', run.sourceId)} label={source?.name ?? t('knowledge.source')} />
          ) : (
            <BackLink label={t('knowledge.all')} />
          )
        }
        actions={run?.state === 'review' && <RunActions run={run} />}
      />
      <PageBody>
        <Answer query={query}>{(known) => <KnownRun run={known} />}</Answer>
      </PageBody>
    </>
  );
}

function KnownRun({ run }: { run: KnowledgeRun }) {
  const mayManage = useMay('knowledge.manage');
  const [verdict, setVerdict] = useState<PageVerdict | null>(null);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <RunState run={run} />
        <span>{t('knowledge.run.started', { time: dateTime(run.startedAt) })}</span>
        {run.endedAt !== null && <span>{t('knowledge.run.ended', { time: dateTime(run.endedAt) })}</span>}
      </div>
      {run.state === 'running' && <RunProgress run={run} />}
      {run.reason && (
        <Notice tone={run.state === 'failed' ? 'danger' : run.state === 'review' ? 'warning' : 'plain'}>
          {explain(run.reason)}
        </Notice>
      )}
      {run.state === 'review' && <p className="text-pretty text-muted">{t('knowledge.run.reviewText')}</p>}
      {run.state === 'review' && mayManage && (
        <Suspense fallback={null}>
          <QualityPreview asIf={{ runId: run.id }} />
        </Suspense>
      )}
      <VerdictFilter run={run} verdict={verdict} onChange={setVerdict} />
      <RunPages run={run} verdict={verdict} />
    </>
  );
}

function VerdictFilter({
  run,
  verdict,
  onChange,
}: {
  run: KnowledgeRun;
  verdict: PageVerdict | null;
  onChange(verdict: PageVerdict | null): void;
}) {
  const choice = (value: PageVerdict | null, label: string, count?: number) => (
    <button
      key={value ?? 'all'}
      type="button"
      aria-pressed={verdict === value}
      onClick={() => onChange(value)}
      className={cx(
        'inline-flex h-7 items-center gap-1.5 rounded-full border px-2.5 transition-colors hover:bg-hover',
        verdict === value
          ? 'border-accent bg-accent-soft font-medium text-accent-ink'
          : 'border-line text-muted',
      )}
    >
      {label}
      {count !== undefined && <span className="tabular">{number(count)}</span>}
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <div role="group" aria-label={t('knowledge.run.filter')} className="flex flex-wrap gap-1.5">
      {choice(null, t('knowledge.run.all'))}
      {verdicts.map(
        (one) => run.counts[one] > 0 && choice(one, t(`knowledge.verdict.${one}`), run.counts[one]),
      )}
    </div>
  );
}

/** Enough to fill the window. */
const wantedRows = 50;

function RunPages({ run, verdict }: { run: KnowledgeRun; verdict: PageVerdict | null }) {
  const query = useInfiniteQuery(runPagesQuery(run.id));
  const all = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const shown = verdict === null ? all : all.filter((page) => page.verdict === verdict);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  // The service lists them in the order of reading: those of one verdict may be far apart.
  const isShort = verdict !== null && shown.length < Math.min(wantedRows, run.counts[verdict]);
  // After an error the person asks for more.
  const wantsMore = isShort && hasNextPage && !isFetching && !isFetchNextPageError;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);
  return (
    <Answer query={query}>
      {() => (
        <div className="flex flex-col gap-3">
          <EntityList
            label={t('knowledge.pages')}
            items={shown}
            empty={{
              icon: <FileSearch className="size-4" />,
              title: isFetching ? t('ui.loading') : t('knowledge.run.noPages'),
            }}
            row={(page) => <PageRow key={page.url} page={page} />}
          />
          <LoadMore query={query} />
        </div>
      )}
    </Answer>
  );
}

/** Of a sentence that is not known here, the code says the most important in the language of the reader. */
function reasonOf({ reason, reasonCode }: KnowledgeRunPage): string | null {
  const own = reason && inOwnWords(reason);
  if (own || reasonCode === null || language() === 'en') return own || reason;
  const text = t(`knowledge.reason.${reasonCode}`);
  return reason === null ? text : `${text} (${reason})`;
}

/** The site has no such page: that is no failure of the sync. */
const isMissing = ({ verdict, httpStatus }: KnowledgeRunPage) =>
  verdict === 'failed' && (httpStatus === 404 || httpStatus === 410);

function PageRow({ page }: { page: KnowledgeRunPage }) {
  const { url, verdict, documentId, citedBy } = page;
  const why = reasonOf(page);
  const isLost = isMissing(page);
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-2 last:border-0">
      <span className="flex min-w-0 flex-1 basis-64 flex-col">
        {documentId ? (
          <Link {...toItem('documents', documentId)} title={url} className="truncate hover:underline">
            {url}
          </Link>
        ) : (
          <span title={url} className="truncate">
            {url}
          </span>
        )}
        {why && (
          <span className={cx('text-sm', verdict === 'failed' && !isLost ? 'text-danger' : 'text-muted')}>
            {explain(why)}
          </span>
        )}
      </span>
      {citedBy > 0 && (
        <Badge hue="orange" className="shrink-0">
          {tn('knowledge.run.citedBy', citedBy)}
        </Badge>
      )}
      <Badge hue={isLost ? 'yellow' : hues[verdict]} className="shrink-0">
        {isLost ? t('knowledge.verdict.missing') : t(`knowledge.verdict.${verdict}`)}
      </Badge>
    </li>
  );
}
