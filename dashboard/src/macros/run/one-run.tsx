/** What a macro will do in a conversation. Texts can be changed before they are sent. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { randomId } from '../../../../browser/random-id.ts';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Macro, MacroPreview, MacroStep, MacroStepPreview } from '../../../../contract/macros.ts';
import { placeholdersIn } from '../../../../contract/shapes/placeholders.ts';
import { describeError, OfflineError } from '../../data/errors.ts';
import { hear } from '../../data/store/entities.ts';
import { rowAfter } from '../../inbox/lifecycle/selection.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { TextArea } from '../../ui/controls/input.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { previewQuery, runMacro } from '../macro-data.ts';
import { problemText, stepIcons, stepNames, useStepWords } from '../step-words.ts';
import { RunButtons, StepMark } from './run-parts.tsx';

interface OneRunProps {
  macro: Macro;
  session: InboxSession;
  frame(children: ReactNode, footer?: ReactNode): ReactNode;
  onClose(): void;
}

type Texts = { [step: number]: string };

export function OneRun({ macro, session, frame, onClose }: OneRunProps) {
  const { sessionId } = session;
  const preview = useQuery(previewQuery(macro.id, sessionId));
  const [texts, setTexts] = useState<Texts>({});
  const { run, busy, error } = useRun(session, onClose);
  const { data } = preview;
  const blockers = data?.steps.map((step, index) => blockerOf(step, texts[index] ?? step.text)) ?? [];
  const ready = data !== undefined && blockers.every((one) => one === null);
  const buttons = (
    <RunButtons
      label={t('macros.run.run')}
      ready={ready}
      busy={busy}
      onRun={() => data && run(data, texts)}
      onClose={onClose}
    />
  );
  if (preview.isError) {
    return frame(<ErrorState error={preview.error} onRetry={() => void preview.refetch()} />, buttons);
  }
  return frame(
    <>
      {data ? (
        <ol aria-label={t('macros.steps')} className="flex flex-col divide-y divide-line">
          {data.macro.steps.map((step, index) => (
            <PreviewStep
              // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a preview do not move
              key={index}
              step={step}
              shown={data.steps[index]!}
              blocker={blockers[index] ?? null}
              text={texts[index] ?? data.steps[index]!.text}
              onText={(text) => setTexts({ ...texts, [index]: text })}
            />
          ))}
        </ol>
      ) : (
        <div role="status" aria-label={t('ui.loading')} className="flex flex-col gap-3">
          {macro.steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: only their number counts
            <Skeleton key={index} className={step.text ? 'h-16' : 'h-5'} />
          ))}
        </div>
      )}
      <p role="alert" className={cx('text-danger', error === '' && 'hidden')}>
        {error}
      </p>
    </>,
    buttons,
  );
}

/** Why the step keeps the macro from running, with the text as it is now. */
function blockerOf({ problem, state, text: filled }: MacroStepPreview, text: string | null): string | null {
  if (text?.trim() === '') return t('macros.problem.empty');
  if (text !== null && text !== filled && placeholdersIn(text).length > 0)
    return t('macros.problem.unfilled');
  if (state !== 'problem' || !problem) return null;
  const isFixed = problem.kind === 'unfilled' && text !== null && placeholdersIn(text).length === 0;
  return isFixed ? null : problemText(problem);
}

interface PreviewStepProps {
  step: MacroStep;
  shown: MacroStepPreview;
  blocker: string | null;
  text: string | null;
  onText(text: string): void;
}

function PreviewStep({ step, shown, blocker, text, onText }: PreviewStepProps) {
  const words = useStepWords();
  const Icon = stepIcons[step.type];
  const isSkipped = shown.state === 'not_applicable';
  return (
    <li className="flex gap-2.5 py-2.5 first:pt-0">
      <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', isSkipped ? 'text-faint' : 'text-muted')} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <span className={cx('break-words', isSkipped && 'text-muted line-through')}>{words(step)}</span>
        {text !== null && (
          <TextArea
            aria-label={stepNames[step.type]()}
            aria-invalid={blocker ? true : undefined}
            value={text}
            maxLength={limits.messageLength}
            onChange={(event) => onText(event.target.value)}
            className={step.type === 'note' ? 'border-note-line! bg-note!' : undefined}
          />
        )}
        {step.type === 'reply' && (
          <span className="text-sm text-muted">
            {step.pauseAi === false ? t('macros.reply.keepsAi') : t('macros.reply.takesOver')}
          </span>
        )}
        {blocker && <StepMark tone="warning">{blocker}</StepMark>}
        {isSkipped && shown.problem && (
          <StepMark tone="muted">{t('macros.run.skipped', { why: problemText(shown.problem) })}</StepMark>
        )}
        {shown.state === 'unchanged' && <StepMark tone="muted">{t('macros.run.unchanged')}</StepMark>}
      </div>
    </li>
  );
}

/** Texts are sent as they were shown, so that nothing else can be filled in meanwhile. */
function useRun({ sessionId }: InboxSession, onClose: () => void) {
  const navigate = useNavigate();
  const { sessionId: openId } = useParams({ strict: false }) as { sessionId?: string };
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  // After a lost response the same run is sent again: the service carries it out once.
  const sent = useRef<{ key: string; texts: string } | null>(null);
  const run = async ({ macro, steps }: MacroPreview, changed: Texts) => {
    setBusy(true);
    setError('');
    const texts = steps.flatMap(({ text, state }, step) =>
      text === null || state === 'not_applicable' ? [] : { step, text: changed[step] ?? text },
    );
    const written = JSON.stringify(texts);
    if (sent.current?.texts !== written) sent.current = { key: randomId(), texts: written };
    // Before the run: the change may arrive on the live connection first, and takes the row out of the list.
    const next = openId === sessionId ? rowAfter(sessionId, new Set([sessionId])) : undefined;
    try {
      const { session } = await runMacro(macro, sessionId, sent.current.key, texts);
      hear('session', session);
      onClose();
      toast.done(t('macros.run.done', { name: macro.name }));
      if (session.status === 'open' || next === undefined) return;
      if (next) void navigate({ to: '/inbox/$sessionId', params: { sessionId: next } });
      else void navigate({ to: '/inbox' });
    } catch (failure) {
      if (!(failure instanceof OfflineError)) sent.current = null;
      setError(describeError(failure).text);
      setBusy(false);
    }
  };
  return { run: (preview: MacroPreview, texts: Texts) => void run(preview, texts), busy, error };
}
