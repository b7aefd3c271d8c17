/** One verdict: whether a rule ran, and if not, the first condition that was not met. */
import { CircleCheck, CircleMinus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Verdict } from '../../../contract/automation/runs.ts';
import { t } from '../texts/texts.ts';
import { Time } from '../ui/display/time.tsx';
import { useReasonWords } from './reason-words.ts';

export function VerdictRow({
  verdict,
  name,
  children,
}: {
  verdict: Verdict;
  /** Of the rule, where it is not known from the surroundings. */
  name?: ReactNode;
  children?: ReactNode;
}) {
  const { matched, at, cause } = verdict;
  const reasonWords = useReasonWords();
  const Icon = matched ? CircleCheck : CircleMinus;
  return (
    <li className="flex gap-2.5 border-b border-line px-3 py-2 last:border-0">
      <Icon
        aria-hidden
        className={matched ? 'mt-0.5 size-4 shrink-0 text-success' : 'mt-0.5 size-4 shrink-0 text-faint'}
      />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        {name && <span className="font-medium break-words">{name}</span>}
        <span className="text-pretty break-words">
          {matched ? t('automation.ran') : t('automation.didNotRun', { reason: reasonWords(verdict) })}
        </span>
        <span className="flex flex-wrap gap-x-2 text-sm text-muted">
          <span>{t(`automation.cause.${cause.type}`)}</span>
          <Time ago at={at} />
        </span>
        {children}
      </div>
    </li>
  );
}
