/** Why the rule ran or did not run, the latest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LoadMore } from '../../settings/parts/entity-list.tsx';
import { Answer, RowsSkeleton } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { ruleVerdictsQuery } from '../rule-data.ts';
import { PlaceLink } from '../run-details.tsx';
import { VerdictRow } from '../verdict-row.tsx';

const choices = ['all', 'matched', 'missed'] as const;

export function RuleVerdicts({ ruleId }: { ruleId: string }) {
  const [choice, setChoice] = useState<(typeof choices)[number]>('all');
  const verdicts = useInfiniteQuery(
    ruleVerdictsQuery(ruleId, choice === 'all' ? undefined : choice === 'matched'),
  );
  const all = verdicts.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <div className="flex flex-col gap-3 pt-3">
      <span>
        <Segmented<(typeof choices)[number]>
          label={t('automation.verdicts')}
          value={choice}
          onChange={setChoice}
          segments={choices.map((value) => ({ value, label: t(`automation.verdicts.${value}`) }))}
        />
      </span>
      <Answer query={verdicts} loading={<RowsSkeleton rows={3} />}>
        {() =>
          all.length === 0 ? (
            <p className="py-6 text-center text-pretty text-muted">{t('automation.noVerdicts')}</p>
          ) : (
            <ul
              aria-label={t('automation.verdicts')}
              className="flex flex-col rounded-panel border border-line"
            >
              {all.map((verdict) => (
                <VerdictRow key={`${verdict.cause.id} ${verdict.at}`} verdict={verdict}>
                  <PlaceLink {...verdict} />
                </VerdictRow>
              ))}
            </ul>
          )
        }
      </Answer>
      <LoadMore query={verdicts} />
    </div>
  );
}
