/** The runs of a website, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { EntityList, LoadMore } from '../../settings/parts/entity-list.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { dateTime } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { runsQuery } from '../knowledge-data.ts';
import { LinkRow, RunState, toItem } from '../knowledge-parts.tsx';
import { explain } from '../service-words.ts';
import { verdictsLine } from './run-counts.ts';

export function SourceRuns({ sourceId }: { sourceId: string }) {
  const runs = useInfiniteQuery(runsQuery(sourceId));
  const all = runs.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Answer query={runs}>
      {() => (
        <div className="flex flex-col gap-3">
          <EntityList
            label={t('knowledge.runs')}
            items={all}
            empty={{
              icon: <History className="size-4" />,
              title: t('knowledge.run.none'),
              text: t('knowledge.run.noneText'),
            }}
            row={(run) => (
              <LinkRow
                key={run.id}
                to={toItem('runs', run.id)}
                title={dateTime(run.startedAt)}
                badges={<RunState run={run} />}
                text={run.state === 'failed' && run.reason ? explain(run.reason) : verdictsLine(run)}
              />
            )}
          />
          <LoadMore query={runs} />
        </div>
      )}
    </Answer>
  );
}
