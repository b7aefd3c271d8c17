/** What both sides answered in a case, and which checks did not hold. */
import { Link } from '@tanstack/react-router';
import type { AgentTestResult, AgentTestSide } from '../../../../../contract/agent-tests.ts';
import { number } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { Badge } from '../../../ui/display/badge.tsx';

export function TestResult({
  result,
  tested,
  besides,
}: {
  result: AgentTestResult;
  tested: string;
  /** What it is compared with; null: nothing. */
  besides: string | null;
}) {
  const { caseId, name, source, subject, baseline, changed } = result;
  return (
    <li className="flex flex-col gap-1.5">
      <span className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
        {/* A replay has no checks. */}
        {subject && caseId !== null && (
          <Badge hue={subject.passed ? 'green' : 'red'}>
            {t(subject.passed ? 'agents.runs.passed' : 'agents.runs.notPassed')}
          </Badge>
        )}
        {changed && <Badge hue="blue">{t('agents.runs.differs')}</Badge>}
        {source && (
          <Link
            to="/inbox/$sessionId"
            params={{ sessionId: source.sessionId }}
            search={{ message: source.messageId }}
            className="text-sm text-muted underline underline-offset-2 hover:text-ink"
          >
            {t('agents.runs.conversation')}
          </Link>
        )}
      </span>
      <div className={besides === null ? undefined : 'grid gap-2 sm:grid-cols-2'}>
        <Side label={tested} side={subject} />
        {besides !== null && <Side label={besides} side={baseline} />}
      </div>
    </li>
  );
}

function Side({ label, side }: { label: string; side: AgentTestSide | null }) {
  return (
    <div className="flex min-w-0 flex-col gap-1 rounded-control border border-line bg-sunken px-2 py-1.5 text-sm">
      <span className="text-xs text-muted">{label}</span>
      {side ? <Shown side={side} /> : <span className="text-faint">{t('agents.runs.notYet')}</span>}
    </div>
  );
}

function Shown({ side }: { side: AgentTestSide }) {
  const { text, failure, handover, heldBy, verdicts, cost, latencyMs } = side;
  const figures = [
    ...(latencyMs === null ? [] : [t('agents.latency', { ms: number(latencyMs) })]),
    ...(cost === null ? [] : [t('agents.runs.cost', { amount: number(cost) })]),
    ...(handover ? [t('agents.wouldHandOver')] : []),
  ];
  return (
    <>
      {text !== null && (
        <span className="max-h-60 overflow-y-auto whitespace-pre-wrap wrap-anywhere">{text}</span>
      )}
      {failure && <span className="text-danger wrap-anywhere">{failure}</span>}
      {heldBy.length > 0 && <span className="text-danger">{t('agents.runs.held')}</span>}
      {verdicts
        .filter(({ passed }) => !passed)
        .map(({ kind, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: verdicts do not change
          <span key={index} className="text-danger wrap-anywhere">
            {reason === null
              ? t(`agents.tests.kind.${kind}`)
              : t('agents.runs.because', { check: t(`agents.tests.kind.${kind}`), reason })}
          </span>
        ))}
      {figures.length > 0 && <span className="tabular text-faint">{figures.join(' · ')}</span>}
    </>
  );
}
