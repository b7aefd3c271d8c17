/** A macro for several conversations: each is checked first, and run on its own. */
import { type ReactNode, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Macro } from '../../../../contract/macros.ts';
import { customerName } from '../../texts/customer-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ProgressBar } from '../../ui/display/progress.tsx';
import { stepIcons, useStepWords } from '../step-words.ts';
import { RunButtons, StepMark } from './run-parts.tsx';
import { type NotRun, type RunKeys, useManyRuns } from './use-many-runs.ts';

interface ManyRunProps {
  macro: Macro;
  sessions: readonly InboxSession[];
  keyFor: RunKeys;
  frame(children: ReactNode, footer?: ReactNode): ReactNode;
  onClose(): void;
}

export function ManyRun({ macro: given, sessions, keyFor, frame, onClose }: ManyRunProps) {
  // A colleague may edit it meanwhile: what was checked is what runs, or is refused.
  const [macro] = useState(given);
  const { phase, progress, ready, done, refused, unknown, run, runAgain } = useManyRuns(
    macro,
    sessions,
    keyFor,
  );
  const label = phase === 'checking' ? t('macros.many.checking') : t('macros.many.running');
  const summary = {
    checking: t('macros.many.checking'),
    checked: tn('macros.many.ready', ready.length),
    running: t('macros.many.progress', { done: progress, count: ready.length }),
    done: tn('macros.many.done', done),
  }[phase];
  const total = phase === 'checking' ? sessions.length : ready.length;
  return frame(
    <>
      <Steps macro={macro} />
      <div className="flex flex-col gap-2 border-t border-line pt-3">
        {(phase === 'checking' || phase === 'running') && (
          <ProgressBar label={label} share={total === 0 ? 0 : progress / total} />
        )}
        <p role="status" className="font-medium">
          {summary}
        </p>
        {unknown.length > 0 && (
          <LeftOver text={tn('macros.many.unknown', unknown.length)} conversations={unknown} />
        )}
        {refused.length > 0 && (
          <LeftOver
            text={tn(phase === 'done' ? 'macros.many.refused' : 'macros.many.skipped', refused.length)}
            conversations={refused}
          />
        )}
      </div>
    </>,
    phase === 'done' ? (
      <>
        {unknown.length > 0 && <Button onClick={runAgain}>{t('macros.many.again')}</Button>}
        <Button tone="primary" onClick={onClose}>
          {t('ui.close')}
        </Button>
      </>
    ) : (
      <RunButtons
        label={tn('macros.many.run', ready.length)}
        ready={phase === 'checked' && ready.length > 0}
        busy={phase === 'running'}
        onRun={run}
        onClose={onClose}
      />
    ),
  );
}

function LeftOver({ text, conversations }: { text: string; conversations: readonly NotRun[] }) {
  return (
    <>
      <p>{text}</p>
      <ul className="flex flex-col gap-1.5">
        {conversations.map(({ session, why }) => (
          <li key={session.sessionId} className="flex flex-col">
            <span className="truncate">{customerName(session)}</span>
            <StepMark tone="warning">{why}</StepMark>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Texts as they are written in the macro: each conversation fills them with its own values. */
function Steps({ macro }: { macro: Macro }) {
  const words = useStepWords();
  return (
    <ol aria-label={t('macros.steps')} className="flex flex-col gap-2">
      {macro.steps.map((step, index) => {
        const Icon = stepIcons[step.type];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps do not move here
          <li key={index} className="flex gap-2.5">
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
            <span className="flex min-w-0 flex-col">
              <span className="break-words">{words(step)}</span>
              {step.text && (
                <span className="text-sm break-words whitespace-pre-wrap text-muted">{step.text}</span>
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
