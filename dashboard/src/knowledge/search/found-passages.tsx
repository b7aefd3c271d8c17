/** What a search finds, and why: the words that matched are marked, with the score that ordered the passages. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import type { FoundPassage } from '../../../../contract/knowledge.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { useMay } from '../../data/session.ts';
import { Excerpt } from '../../inbox/search/excerpt.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { number } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { foundQuery, sourcesQuery } from '../knowledge-data.ts';
import { SourceIcon, toItem } from '../knowledge-parts.tsx';
import { markMatched } from './mark-matched.ts';

const RightAnswer = lazyView(() => import('../questions/right-answer.tsx'), 'RightAnswer');

export function FoundPassages({ q }: { q: string }) {
  const found = useQuery(foundQuery(q));
  const count = found.data?.passages.length ?? 0;
  return (
    <section aria-label={t('knowledge.found')} className="flex flex-col gap-3">
      <Answer query={found}>
        {({ passages }) =>
          passages.length === 0 ? (
            <EmptyState
              icon={<SearchX className="size-4" />}
              title={t('knowledge.found.none', { q })}
              text={t('knowledge.found.noneText')}
            />
          ) : (
            <>
              <h2 aria-live="polite" className="text-muted">
                {tn('knowledge.found.count', count)}
              </h2>
              <ol className="flex flex-col gap-3">
                {passages.map((passage) => (
                  <FoundRow key={`${passage.documentId} ${passage.start}`} q={q} passage={passage} />
                ))}
              </ol>
            </>
          )
        }
      </Answer>
    </section>
  );
}

function FoundRow({ q, passage }: { q: string; passage: FoundPassage }) {
  const mayManage = useMay('knowledge.manage');
  const { documentId, sourceId, title, heading, excerpt, score, matched } = passage;
  const source = useQuery(sourcesQuery).data?.find(({ id }) => id === sourceId);
  const ranges = useMemo(() => markMatched(excerpt, matched), [excerpt, matched]);
  return (
    <li className="rounded-panel border border-line p-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Link {...toItem('documents', documentId)} className="min-w-0 truncate font-medium hover:underline">
          {title}
        </Link>
        <span className="tabular ml-auto text-sm text-muted" title={t('knowledge.found.scoreHint')}>
          {t('knowledge.found.score', { score: number(Math.round(score * 100) / 100) })}
        </span>
      </div>
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
        {source && (
          <span className="flex items-center gap-1">
            <SourceIcon kind={source.kind} className="size-3" />
            {source.name}
          </span>
        )}
        {heading && <span>{heading}</span>}
      </p>
      <p className="mt-2 line-clamp-6 whitespace-pre-wrap wrap-anywhere">
        <Excerpt text={excerpt} ranges={ranges} />
      </p>
      <p className="mt-2 flex flex-wrap items-center gap-1 text-sm text-muted">
        {matched.length > 0 ? t('knowledge.found.matched') : t('knowledge.found.meaning')}
        {matched.map((word) => (
          <Badge key={word}>{word}</Badge>
        ))}
      </p>
      {mayManage && (
        <div className="mt-2 -ml-2">
          <Suspense fallback={null}>
            <RightAnswer q={q} documentId={documentId} title={title} />
          </Suspense>
        </div>
      )}
    </li>
  );
}
