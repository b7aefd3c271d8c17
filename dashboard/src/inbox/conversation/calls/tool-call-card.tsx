/** A call of a tool in the chat: a decision while it waits for one, otherwise what became of it. */
import {
  Ban,
  CircleCheck,
  CircleHelp,
  CircleX,
  ClockAlert,
  LoaderCircle,
  type LucideIcon,
  ShieldQuestionMark,
} from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { limits } from '../../../../../contract/limits.ts';
import type { ToolCallEntry } from '../../../../../contract/tool-calls.ts';
import { ApiError } from '../../../data/errors.ts';
import { useAgents } from '../../../data/queries.ts';
import { useMay } from '../../../data/session.ts';
import { newChangeId, startChange } from '../../../data/store/changes.ts';
import { clockTime, dayAndTime, fullDate } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { hearToolCall, readCalls, toolCallsPath } from './tool-call-data.ts';

type State = ToolCallEntry['state'];
type Decision = 'approve' | 'reject';

const looks: Record<Exclude<State, 'waiting'>, { Icon: LucideIcon; color: string }> = {
  running: { Icon: LoaderCircle, color: 'text-muted' },
  done: { Icon: CircleCheck, color: 'text-success' },
  failed: { Icon: CircleX, color: 'text-danger' },
  rejected: { Icon: Ban, color: 'text-muted' },
  cancelled: { Icon: Ban, color: 'text-muted' },
  expired: { Icon: ClockAlert, color: 'text-muted' },
  unknown: { Icon: CircleHelp, color: 'text-warning' },
};

export default function ToolCallCard({ call, session }: { call: ToolCallEntry; session: InboxSession }) {
  const card = useRef<HTMLDivElement>(null);
  const { deciding, decide } = useDecision(session.sessionId, call, () => card.current?.focus());
  return (
    <div ref={card} tabIndex={-1} className="my-3 ml-10 sm:ml-16">
      {call.state === 'waiting' ? (
        <WaitingCall call={call} deciding={deciding} decide={decide} />
      ) : (
        <DecidedCall call={call} state={call.state} />
      )}
    </div>
  );
}

/** `onDecided`: the buttons go away with the decision, and the focus with them. */
function useDecision(sessionId: string, call: ToolCallEntry, onDecided: () => void) {
  const [deciding, setDeciding] = useState<Decision | null>(null);
  const decide = async (decision: Decision, id = newChangeId()) => {
    setDeciding(decision);
    const failed = t('calls.failed');
    const request = { method: 'POST', path: `${toolCallsPath(sessionId)}/${call.id}/${decision}` } as const;
    const { answer, error, isLeft } = await startChange<ToolCallEntry>({ id, request, edits: [], failed })
      .ended;
    setDeciding(null);
    if (isLeft) return;
    if (answer) hearToolCall(sessionId, answer);
    else void readCalls(sessionId);
    if (!error) return onDecided();
    const isRefused = error instanceof ApiError && error.status < 500;
    toast.failed(failed, error, isRefused ? undefined : () => void decide(decision, id));
  };
  return { deciding, decide };
}

interface WaitingProps {
  call: ToolCallEntry;
  deciding: Decision | null;
  decide(decision: Decision): void;
}

function WaitingCall({ call, deciding, decide }: WaitingProps) {
  const mayDecide = useMay('conversations.reply');
  const agent = useAgents().find(({ id }) => id === call.agentId)?.name ?? t('inbox.ai.formerAgent');
  const expiresAt = call.requestedAt + limits.tools.approvalMs;
  return (
    <section
      aria-label={t('calls.waiting')}
      className="rounded-panel border-2 border-dashed border-warning/60 bg-surface"
    >
      <header className="flex items-center gap-2 px-3 pt-2 font-medium text-warning">
        <ShieldQuestionMark aria-hidden className="size-4 shrink-0" />
        {t('calls.waiting')}
      </header>
      <div className="flex flex-col gap-2 px-3 py-2">
        <p>
          {t('calls.asks', { agent })} <code className="font-medium wrap-anywhere">{call.name}</code>
        </p>
        <Arguments given={call.arguments} />
      </div>
      <footer className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
        <p className="min-w-48 flex-1 text-sm text-muted" title={fullDate(expiresAt)}>
          {t('calls.expires', { time: dayAndTime(expiresAt) })}
        </p>
        {mayDecide && (
          <span className="flex gap-2">
            <Button
              busy={deciding === 'reject'}
              disabled={deciding === 'approve'}
              onClick={() => decide('reject')}
            >
              {t('calls.reject')}
            </Button>
            <Button
              tone="primary"
              busy={deciding === 'approve'}
              disabled={deciding === 'reject'}
              onClick={() => decide('approve')}
            >
              {t('calls.approve')}
            </Button>
          </span>
        )}
      </footer>
    </section>
  );
}

function DecidedCall({ call, state }: { call: ToolCallEntry; state: Exclude<State, 'waiting'> }) {
  const { Icon, color } = looks[state];
  const by = decidedBy(call);
  return (
    <details className="rounded-panel border border-line bg-surface">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 gap-y-0.5 px-3 py-1.5 text-sm">
        <Icon aria-hidden className={`size-4 shrink-0 ${color}`} />
        <code className="font-medium wrap-anywhere">{call.name}</code>
        <span className={color}>{t(`calls.state.${state}`)}</span>
        {by && <span className="text-muted">{by}</span>}
        <time title={fullDate(call.requestedAt)} className="tabular ml-auto text-faint">
          {clockTime(call.requestedAt)}
        </time>
      </summary>
      <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
        {state in explained && <p className="text-sm text-muted">{t(`calls.text.${state as Explained}`)}</p>}
        <Arguments given={call.arguments} />
        {call.result && (
          <Part label={t('calls.result')}>
            <pre className="max-h-48 overflow-auto rounded-control border border-line bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere">
              {call.result}
            </pre>
          </Part>
        )}
      </div>
    </details>
  );
}

const explained = { running: 1, rejected: 1, cancelled: 1, expired: 1, unknown: 1 };
type Explained = keyof typeof explained;

function decidedBy({ state, decidedBy: name }: ToolCallEntry): string | null {
  if (name !== null) return t(state === 'rejected' ? 'calls.rejectedBy' : 'calls.approvedBy', { name });
  return state === 'done' || state === 'failed' || state === 'unknown' ? t('calls.unapproved') : null;
}

function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <h4 className="text-xs text-muted">{label}</h4>
      {children}
    </div>
  );
}

function Arguments({ given }: { given: ToolCallEntry['arguments'] }) {
  const entries = Object.entries(given);
  if (entries.length === 0) return <p className="text-sm text-muted">{t('calls.noArguments')}</p>;
  return (
    <Part label={t('calls.arguments')}>
      <dl className="grid grid-cols-[fit-content(40%)_1fr] gap-x-4 gap-y-1 text-sm">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted wrap-anywhere">{name}</dt>
            <dd className="max-h-48 overflow-y-auto whitespace-pre-wrap wrap-anywhere">{shown(value)}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  const isPlainList = Array.isArray(value) && value.every((one) => typeof one !== 'object');
  return isPlainList ? value.join(', ') : JSON.stringify(value, null, 2);
}
