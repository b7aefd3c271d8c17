/** A newcomer's first steps: one list, of which the step that comes next is open. */
import { useQuery } from '@tanstack/react-query';
import { Check, ChevronDown } from 'lucide-react';
import { type ReactNode, useCallback, useState } from 'react';
import type { FirstRun, FirstRunStep } from '../../../contract/first-run.ts';
import { PageHeader } from '../app/page-header.tsx';
import { api } from '../data/api.ts';
import { doneCount, firstRunQuery } from '../data/first-run.ts';
import { useLive } from '../data/live.ts';
import { refresh } from '../data/refresh.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { AllDone } from './all-done.tsx';
import { CardStep, ChatStep, TakeOverStep } from './chat-steps.tsx';
import { DemoPart } from './demo-part.tsx';
import { NamePart } from './name-part.tsx';
import { TokenStep } from './token-step.tsx';
import { WebhookStep } from './webhook-step.tsx';

/** Polls for steps without live events, such as a token or a webhook. */
const lookEveryMs = 3_000;

interface StepContentProps {
  first: FirstRun;
  /** It stays open though it is done: what it has to show has only just come. */
  onStay(): void;
}

const contents: {
  [step in FirstRunStep]: { title(): string; Content(props: StepContentProps): ReactNode };
} = {
  chat: { title: () => t('start.chat'), Content: ChatStep },
  card: { title: () => t('start.card'), Content: CardStep },
  takeOver: { title: () => t('start.takeOver'), Content: TakeOverStep },
  token: { title: () => t('start.token'), Content: TokenStep },
  webhook: { title: () => t('start.webhook'), Content: WebhookStep },
};

export function StartPage() {
  const query = useQuery({ ...firstRunQuery, refetchInterval: lookEveryMs });
  const look = useCallback(() => void refresh(firstRunQuery.queryKey), []);
  useLive('session.created', look);
  useLive('session.updated', look);
  useLive('message.created', look);
  const first = query.data;
  return (
    <>
      <PageHeader title={t('start.title')} actions={first && <Dismiss first={first} />}>
        {first && (
          <span role="status" className="tabular text-muted">
            {t('start.progress', { done: doneCount(first), all: first.steps.length })}
          </span>
        )}
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[680px] flex-col gap-5 px-4 pt-10 pb-16 max-md:gap-4 max-md:pt-3">
          {first ? (
            <Steps first={first} />
          ) : query.isPending ? (
            <Loading />
          ) : (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          )}
        </div>
      </div>
    </>
  );
}

function Steps({ first }: { first: FirstRun }) {
  const next = first.steps.find(({ doneAt }) => doneAt === null)?.step ?? null;
  const [chosen, choose] = useState<FirstRunStep | null | 'next'>('next');
  const open = chosen === 'next' ? next : chosen;
  return (
    <>
      {next === null ? <AllDone /> : <p className="text-pretty text-muted">{t('start.lead')}</p>}
      <NamePart />
      <ol className="flex flex-col rounded-panel border border-line bg-surface">
        {first.steps.map(({ step, doneAt }, index) => (
          <Step
            key={step}
            step={step}
            number={index + 1}
            isDone={doneAt !== null}
            isNext={step === next}
            isOpen={step === open}
            onToggle={() => choose(step === open ? null : step)}
            onStay={() => choose(step)}
            first={first}
          />
        ))}
      </ol>
      <DemoPart first={first} />
    </>
  );
}

interface StepProps {
  step: FirstRunStep;
  number: number;
  isDone: boolean;
  isNext: boolean;
  isOpen: boolean;
  onToggle(): void;
  onStay(): void;
  first: FirstRun;
}

function Step({ step, number, isDone, isNext, isOpen, onToggle, onStay, first }: StepProps) {
  const { title, Content } = contents[step];
  const id = `start-${step}`;
  return (
    <li className="border-b border-line last:border-0" data-step={step} data-done={isDone || undefined}>
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={onToggle}
          className="flex w-full items-center gap-3 px-4 py-3 text-left hover:bg-hover max-md:px-3"
        >
          <span
            className={cx(
              'tabular flex size-5 shrink-0 items-center justify-center rounded-full text-sm font-semibold',
              isDone
                ? 'bg-success-soft text-success'
                : isNext
                  ? 'bg-accent text-on-accent'
                  : 'border border-line-strong text-muted',
            )}
          >
            {isDone ? <Check aria-hidden className="size-3.5" strokeWidth={2.5} /> : number}
          </span>
          <span className={cx('min-w-0 flex-1 text-md font-medium', isDone && !isOpen && 'text-muted')}>
            {title()}
            <span className="sr-only">, {isDone ? t('start.done') : t('start.todo')}</span>
          </span>
          <ChevronDown
            aria-hidden
            className={cx('size-4 text-faint transition-transform', isOpen && 'rotate-180')}
          />
        </button>
      </h2>
      {/* Kept mounted while closed: a token that is shown once must not be lost with a click. */}
      <div id={id} hidden={!isOpen} className="flex flex-col gap-3 pr-4 pb-4 pl-12 max-md:pl-11">
        <Content first={first} onStay={onStay} />
      </div>
    </li>
  );
}

function Dismiss({ first }: { first: FirstRun }) {
  if (first.dismissedAt !== null) return null;
  const dismiss = async () => {
    try {
      await api('PATCH', '/first-run', { body: { dismissed: true } });
      await refresh(firstRunQuery.queryKey);
      toast.done(t('start.dismissed'));
    } catch (error) {
      toast.failed(t('start.dismissFailed'), error);
    }
  };
  return (
    <Button tone="quiet" onClick={() => void dismiss()}>
      {t('start.dismiss')}
    </Button>
  );
}

const Loading = () => (
  <>
    <span role="status" className="sr-only">
      {t('ui.loading')}
    </span>
    <Skeleton className="h-5 w-80 max-w-full" />
    <div className="flex flex-col rounded-panel border border-line">
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <div key={key} className="flex h-11 items-center gap-3 border-b border-line px-4 last:border-0">
          <Skeleton className="size-5 rounded-full" />
          <Skeleton className="h-3 w-48" />
        </div>
      ))}
    </div>
  </>
);
