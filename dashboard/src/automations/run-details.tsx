/** A run with its steps: what each did, waits for or why it failed; and what can be done about it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleSlash, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { AutomationRun, RunState, RunStep, StepState } from '../../../contract/automation/runs.ts';
import { api } from '../data/api.ts';
import { refresh } from '../data/refresh.ts';
import { useMay } from '../data/session.ts';
import { dateTime } from '../texts/format.ts';
import { t, tn } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Badge } from '../ui/display/badge.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import type { Hue } from '../ui/hues.ts';
import { toast } from '../ui/overlays/toast.tsx';
import { runQuery, runsKey } from './rule-data.ts';
import { ruleStepIcons, ruleStepNames } from './rule-step-words.ts';

const runHues: { [state in RunState]: Hue | undefined } = {
  running: 'blue',
  waiting: 'orange',
  done: 'green',
  failed: 'red',
  cancelled: undefined,
};
export const RunBadge = ({ state }: { state: RunState }) => (
  <Badge hue={runHues[state]}>{t(`automation.run.${state}`)}</Badge>
);

const stepHues: { [state in StepState]: Hue | undefined } = {
  done: 'green',
  skipped: undefined,
  waiting: 'orange',
  failed: 'red',
  cancelled: undefined,
};

/** To the conversation or the card that it was about. */
export function PlaceLink({ sessionId, recordId }: { sessionId: string | null; recordId: string | null }) {
  const look = 'w-fit text-accent-ink underline-offset-2 hover:underline';
  if (sessionId) {
    return (
      <Link to="/inbox/$sessionId" params={{ sessionId }} className={look}>
        {t('automation.openConversation')}
      </Link>
    );
  }
  if (!recordId) return null;
  return (
    <Link to="/records/$recordId" params={{ recordId }} className={look}>
      {t('automation.openCard')}
    </Link>
  );
}

export function RunDetails({ id }: { id: string }) {
  const run = useQuery(runQuery(id));
  if (run.error) return <ErrorState error={run.error} onRetry={() => void run.refetch()} />;
  if (!run.data) return <Skeleton className="h-16" />;
  return (
    <>
      <ol aria-label={t('macros.steps')} className="flex flex-col divide-y divide-line">
        {run.data.steps.map((step) => (
          <StepOfRun key={`${step.path} ${step.id}`} step={step} />
        ))}
      </ol>
      <RunActions run={run.data} />
    </>
  );
}

function StepOfRun({ step }: { step: RunStep }) {
  const { type, state, reason, waitsUntil, cancelOn, effects, input, output } = step;
  const Icon = ruleStepIcons[type];
  const details = { input, ...(output !== null && output !== undefined && { output }) };
  const isShown = JSON.stringify(details.input ?? null) !== 'null' || 'output' in details;
  return (
    <li className="flex gap-2.5 py-2">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 break-words">{ruleStepNames[type]()}</span>
          <Badge hue={stepHues[state]}>{t(`automation.stepState.${state}`)}</Badge>
        </span>
        {state === 'waiting' && waitsUntil !== null && (
          <span className="text-sm text-muted">
            {t('automation.waitsUntil', { time: dateTime(waitsUntil) })}
          </span>
        )}
        {state === 'waiting' && cancelOn.length > 0 && (
          <span className="text-sm text-muted">
            {t('automation.cancelledBy', {
              what: cancelOn.map((one) => t(`automation.cancel.${one}`)).join(', '),
            })}
          </span>
        )}
        {reason && <span className="text-sm text-pretty break-words text-muted">{reason}</span>}
        {effects.length > 0 && (
          <span className="text-sm text-muted">
            {effects.map(({ kind }) => t(`automation.effect.${kind}`)).join(' · ')}
          </span>
        )}
        {isShown && (
          <details className="text-sm">
            <summary className="w-fit cursor-pointer text-muted">{t('automation.details')}</summary>
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
              tabIndex={0}
              className="mt-1 max-h-48 overflow-auto rounded-control bg-sunken p-2 font-mono text-sm whitespace-pre-wrap break-words"
            >
              {JSON.stringify(details, null, 2)}
            </pre>
          </details>
        )}
      </div>
    </li>
  );
}

function RunActions({ run }: { run: AutomationRun }) {
  const mayManage = useMay('automation.manage');
  const [busy, setBusy] = useState(false);
  const isUnderWay = run.state === 'waiting' || run.state === 'running';
  const act = async (what: 'cancel' | 'retry') => {
    setBusy(true);
    try {
      await api('POST', `/automation-runs/${run.id}/${what}`);
      await refresh(runsKey);
    } catch (error) {
      toast.failed(t(what === 'cancel' ? 'automation.cancelFailed' : 'automation.retryFailed'), error);
      void refresh(runsKey);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {run.left !== null && run.left > 0 && (
        <p className="text-sm text-warning">{tn('automation.left', run.left)}</p>
      )}
      {mayManage && (isUnderWay || run.state === 'failed') && (
        <span className="flex gap-2">
          {isUnderWay ? (
            <Button
              size="small"
              busy={busy}
              icon={<CircleSlash className="size-3.5" />}
              onClick={() => void act('cancel')}
            >
              {t('automation.cancelRun')}
            </Button>
          ) : (
            <Button
              size="small"
              busy={busy}
              icon={<RotateCw className="size-3.5" />}
              onClick={() => void act('retry')}
            >
              {t('automation.retryRun')}
            </Button>
          )}
        </span>
      )}
    </>
  );
}
