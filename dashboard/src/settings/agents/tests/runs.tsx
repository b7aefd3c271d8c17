/** Runs of an agent's tests: starting one, its progress, and what both sides answered. */
import { useQuery } from '@tanstack/react-query';
import { History, Play } from 'lucide-react';
import { useId, useState } from 'react';
import type { AgentTestRun } from '../../../../../contract/agent-tests.ts';
import type { Agent } from '../../../../../contract/channels.ts';
import { api } from '../../../data/api.ts';
import { queryClient } from '../../../data/query-client.ts';
import { number } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Field } from '../../../ui/controls/input.tsx';
import { Select } from '../../../ui/controls/select.tsx';
import { Badge } from '../../../ui/display/badge.tsx';
import { ProgressBar } from '../../../ui/display/progress.tsx';
import { ErrorState, Skeleton } from '../../../ui/display/states.tsx';
import { Time } from '../../../ui/display/time.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Answer } from '../../parts/section.tsx';
import { ReplayDialog } from './replay.tsx';
import { TestResult } from './test-result.tsx';
import { isUnderWay, runQuery, runsQuery } from './tests-data.ts';

const versionsOffered = 10;
const nothing = 'nothing';

export function Runs({ agent, hasCases }: { agent: Agent; hasCases: boolean }) {
  const runs = useQuery(runsQuery(agent.id));
  const isBusy = runs.data?.some(isUnderWay) ?? false;
  if (!hasCases && !agent.hasDraft && runs.data?.length === 0) return null;
  return (
    <section aria-label={t('agents.runs')} className="flex flex-col gap-3 border-t border-line pt-5">
      <h3 className="text-md font-semibold">{t('agents.runs')}</h3>
      {hasCases && <StartRun agent={agent} isBusy={isBusy} />}
      {agent.hasDraft && <StartReplay agent={agent} isBusy={isBusy} />}
      <Answer query={runs}>
        {(list) =>
          list.length > 0 && (
            <Rows label={t('agents.runs')}>
              {list.map((run) => (
                <RunRow key={run.id} agentId={agent.id} run={run} />
              ))}
            </Rows>
          )
        }
      </Answer>
    </section>
  );
}

function StartRun({ agent, isBusy }: { agent: Agent; isBusy: boolean }) {
  const { id, version, hasDraft } = agent;
  const versions = Array.from({ length: Math.min(versionsOffered, version) }, (_, index) => ({
    value: String(version - index),
    label:
      index === 0
        ? t('agents.runs.published', { version })
        : t('agents.version', { version: version - index }),
  }));
  const [tested, setTested] = useState(hasDraft ? 'draft' : String(version));
  const [baseline, setBaseline] = useState(hasDraft ? String(version) : nothing);
  const [isStarting, setStarting] = useState(false);
  const start = async () => {
    setStarting(true);
    try {
      await api('POST', `/agents/${id}/test-runs`, {
        body: {
          version: tested === 'draft' ? tested : Number(tested),
          ...(baseline !== nothing && { baseline: Number(baseline) }),
        },
      });
      await queryClient.invalidateQueries(runsQuery(id));
    } catch (error) {
      toast.failed(t('agents.runs.failed'), error);
    } finally {
      setStarting(false);
    }
  };
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="min-w-44 flex-1">
        <Field label={t('agents.runs.tested')}>
          {(ids) => (
            <Select
              {...ids}
              value={tested}
              options={[...(hasDraft ? [{ value: 'draft', label: t('agents.draft') }] : []), ...versions]}
              onChange={setTested}
            />
          )}
        </Field>
      </div>
      <div className="min-w-44 flex-1">
        <Field label={t('agents.runs.baseline')}>
          {(ids) => (
            <Select
              {...ids}
              value={baseline}
              options={[{ value: nothing, label: t('agents.runs.nothing') }, ...versions]}
              onChange={setBaseline}
            />
          )}
        </Field>
      </div>
      <Button
        tone="primary"
        className="h-8"
        icon={<Play className="size-3.5" />}
        busy={isStarting}
        disabled={isBusy}
        onClick={() => void start()}
      >
        {t('agents.runs.start')}
      </Button>
    </div>
  );
}

/** Real conversations need no tests. */
function StartReplay({ agent, isBusy }: { agent: Agent; isBusy: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="min-w-60 flex-1 text-muted">{t('agents.replay.hint')}</p>
      <Button icon={<History className="size-3.5" />} disabled={isBusy} onClick={() => setOpen(true)}>
        {t('agents.replay')}
      </Button>
      {isOpen && <ReplayDialog agent={agent} onClose={() => setOpen(false)} />}
    </div>
  );
}

const hues = {
  waiting: undefined,
  running: 'blue',
  done: 'green',
  cancelled: undefined,
  failed: 'red',
} as const;

function RunRow({ agentId, run }: { agentId: string; run: AgentTestRun }) {
  const [isOpen, setOpen] = useState(isUnderWay(run));
  const id = useId();
  const { counts, cost, version, baseline, state, by, createdAt, failure } = run;
  const what = version === null ? t('agents.draft') : t('agents.version', { version });
  const title =
    run.kind === 'replay'
      ? t('agents.runs.replay')
      : baseline === null
        ? what
        : t('agents.runs.compared', { what, version: baseline });
  const cancel = async () => {
    try {
      await api('POST', `/agents/${agentId}/test-runs/${run.id}/cancel`);
      await queryClient.invalidateQueries(runsQuery(agentId));
    } catch (error) {
      toast.failed(t('settings.failed'), error);
    }
  };
  return (
    <li className="flex flex-col gap-2 border-b border-line px-3 py-3 last:border-0">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="flex min-w-60 flex-1 flex-col gap-0.5">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{title}</span>
            <Badge hue={state === 'done' && run.kind === 'run' && counts.failed > 0 ? 'orange' : hues[state]}>
              {t(`agents.runs.state.${state}`)}
            </Badge>
            <span className="text-sm text-muted">
              {by}, <Time at={createdAt} />
            </span>
          </span>
          <p className="tabular text-sm text-muted">
            {[
              run.kind === 'replay'
                ? t('agents.replay.counts', { done: number(counts.done), total: number(counts.total) })
                : t('agents.runs.counts', {
                    passed: number(counts.passed),
                    failed: number(counts.failed),
                    total: number(counts.total),
                  }),
              ...(baseline === null && run.kind === 'run'
                ? []
                : [t('agents.runs.changed', { count: number(counts.changed) })]),
              ...(cost === null ? [] : [t('agents.runs.cost', { amount: number(cost) })]),
            ].join(' · ')}
          </p>
          {failure && <p className="text-danger">{failure}</p>}
        </div>
        <span className="flex gap-2">
          {isUnderWay(run) && <Button onClick={() => void cancel()}>{t('ui.cancel')}</Button>}
          <Button tone="quiet" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t('agents.runs.hide') : t('agents.runs.show')}
          </Button>
        </span>
      </div>
      {isUnderWay(run) && (
        <ProgressBar label={title} share={counts.total === 0 ? null : counts.done / counts.total} />
      )}
      <div id={id} hidden={!isOpen}>
        {isOpen && <Results agentId={agentId} runId={run.id} />}
      </div>
    </li>
  );
}

function Results({ agentId, runId }: { agentId: string; runId: string }) {
  const query = useQuery(runQuery(agentId, runId));
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton className="h-16" />;
  const { kind, version, baseline, state, results } = query.data;
  if (results.length === 0 && state === 'done') return <p className="text-muted">{t('agents.runs.none')}</p>;
  return (
    <ul className="flex flex-col gap-4 pt-2">
      {results.map((result) => (
        <TestResult
          key={result.id}
          result={result}
          tested={version === null ? t('agents.draft') : t('agents.version', { version })}
          besides={
            kind === 'replay'
              ? t('agents.replay.sent')
              : baseline === null
                ? null
                : t('agents.version', { version: baseline })
          }
        />
      ))}
    </ul>
  );
}
