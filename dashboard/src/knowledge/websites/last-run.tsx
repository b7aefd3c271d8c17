/** On the page of a website: the progress of a run, or a run that waits for a decision. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { KnowledgeRun, KnowledgeSource } from '../../../../contract/knowledge.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { ProgressBar } from '../../ui/display/progress.tsx';
import { runQuery } from '../knowledge-data.ts';
import { Notice, toItem } from '../knowledge-parts.tsx';
import { explain } from '../service-words.ts';
import { RunActions } from './run-actions.tsx';
import { doneOf, shareOf, verdictsLine } from './run-counts.ts';

export function LastRun({ source: { lastRunId } }: { source: KnowledgeSource }) {
  const { data: run } = useQuery({ ...runQuery(lastRunId ?? ''), enabled: lastRunId !== null });
  if (run?.state === 'running') return <RunProgress run={run} />;
  if (run?.state !== 'review') return null;
  return (
    <Notice tone="warning" action={<RunActions run={run} />}>
      <p className="font-medium">{t('knowledge.run.waits')}</p>
      <p>{verdictsLine(run)}</p>
      {run.reason && <p>{explain(run.reason)}</p>}
      <Link {...toItem('runs', run.id)} className="underline underline-offset-2">
        {t('knowledge.run.look')}
      </Link>
    </Notice>
  );
}

export function RunProgress({ run }: { run: KnowledgeRun }) {
  const text = t('knowledge.run.progress', { done: number(doneOf(run)), found: number(run.counts.found) });
  return (
    <div className="flex flex-col gap-2 rounded-panel border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span aria-live="polite" className="tabular">
          {text}
        </span>
        <RunActions run={run} />
      </div>
      <ProgressBar label={t('knowledge.run.state.running')} share={shareOf(run)} valueText={text} />
    </div>
  );
}
