/** A document as agents see it: the passages that a search finds, each with the headings above it. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { ScanText } from 'lucide-react';
import { LoadMore } from '../../settings/parts/entity-list.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { t, tn } from '../../texts/texts.ts';
import { EmptyState } from '../../ui/display/states.tsx';
import { passagesQuery } from '../knowledge-data.ts';

export function DocumentPassages({ id }: { id: string }) {
  const query = useInfiniteQuery(passagesQuery(id));
  const passages = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Answer query={query}>
      {() =>
        passages.length === 0 ? (
          <EmptyState
            icon={<ScanText className="size-4" />}
            title={t('knowledge.passages.none')}
            text={t('knowledge.passages.noneText')}
          />
        ) : (
          <div className="flex flex-col gap-3">
            <p className="text-pretty text-muted">{t('knowledge.passages.text')}</p>
            <ol aria-label={t('knowledge.passages')} className="flex flex-col gap-2">
              {passages.map(({ number, heading, excerpt }) => (
                <li key={number} className="rounded-panel border border-line">
                  <p className="flex items-baseline justify-between gap-3 border-b border-line bg-sunken px-3 py-1.5 text-sm text-muted">
                    <span className="min-w-0 truncate" title={heading ?? undefined}>
                      {number + 1}. {heading ?? t('knowledge.passages.noHeading')}
                    </span>
                    <span className="tabular shrink-0">{tn('knowledge.characters', excerpt.length)}</span>
                  </p>
                  <p className="px-3 py-2 whitespace-pre-wrap wrap-anywhere">{excerpt}</p>
                </li>
              ))}
            </ol>
            <LoadMore query={query} />
          </div>
        )
      }
    </Answer>
  );
}
