/** Before a rule is enabled: what it would do now in one conversation, and when it would have run. Nothing changes. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleMinus, FlaskConical, History } from 'lucide-react';
import { type ReactNode, useDeferredValue, useState } from 'react';
import type { AutomationCreate } from '../../../../contract/automation/automations.ts';
import type { Backtest, DryRun, DryRunStep } from '../../../../contract/automation/trying.ts';
import { api } from '../../data/api.ts';
import { inboxQuery } from '../../inbox/data/session-data.ts';
import { foundRecordsQuery, foundSessionsQuery } from '../../palette/palette-data.ts';
import { LoadMore } from '../../settings/parts/entity-list.tsx';
import { customerName, shownTitle } from '../../texts/customer-name.ts';
import { dateTime, number, plainDate } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { SearchInput } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { ProgressBar } from '../../ui/display/progress.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { Time } from '../../ui/display/time.tsx';
import type { Hue } from '../../ui/hues.ts';
import { useReasonWords } from '../reason-words.ts';
import { backtestQuery } from '../rule-data.ts';
import { ruleStepIcons, ruleStepNames } from '../rule-step-words.ts';
import { PlaceLink } from '../run-details.tsx';
import type { SubjectKind } from '../trigger-words.ts';

interface TrialProps {
  /** Null: it is not complete, and the editor says where. */
  ruleOf(): AutomationCreate | null;
  onProblem(error: unknown): void;
  subject: SubjectKind;
}

export function RuleTrial(props: TrialProps) {
  return (
    <div className="flex flex-col gap-6 pt-3">
      {props.subject !== 'nothing' && <OneTrial {...props} />}
      <PastTrial {...props} />
    </div>
  );
}

const Heading = ({ icon, title, text }: { icon: ReactNode; title: string; text: string }) => (
  <div>
    <h3 className="flex items-center gap-2 font-medium">
      {icon}
      {title}
    </h3>
    <p className="text-pretty text-muted">{text}</p>
  </div>
);

interface Candidate {
  id: string;
  name: string;
  detail: string;
}

function OneTrial({ ruleOf, onProblem, subject }: TrialProps) {
  const [result, setResult] = useState<{ for: string; run: DryRun } | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const isOfCards = subject === 'record';
  const attempt = async ({ id, name }: Candidate) => {
    const rule = ruleOf();
    if (!rule) return;
    setBusy(id);
    try {
      const place = isOfCards ? { recordId: id } : { sessionId: id };
      setResult({
        for: name,
        run: await api<DryRun>('POST', '/automations/dry-run', { body: { rule, ...place } }),
      });
    } catch (error) {
      setResult(null);
      onProblem(error);
    } finally {
      setBusy(null);
    }
  };
  return (
    <section aria-label={t('automation.tryOne')} className="flex flex-col gap-3">
      <Heading
        icon={<FlaskConical aria-hidden className="size-4 text-muted" />}
        title={t(isOfCards ? 'automation.tryCard' : 'automation.tryOne')}
        text={t('automation.tryText')}
      />
      {isOfCards ? (
        <CardCandidates busy={busy} onTry={(one) => void attempt(one)} />
      ) : (
        <SessionCandidates busy={busy} onTry={(one) => void attempt(one)} />
      )}
      {result && <DryRunResult name={result.for} run={result.run} />}
    </section>
  );
}

interface CandidatesProps {
  busy: string | null;
  onTry(candidate: Candidate): void;
}
const shownCandidates = 5;

function SessionCandidates(props: CandidatesProps) {
  const [text, setText] = useState('');
  const q = useDeferredValue(text.trim());
  // Here no live update keeps it current.
  const latest = useInfiniteQuery({ ...inboxQuery({ show: 'all', status: 'all' }), staleTime: 0 });
  const found = useQuery({ ...foundSessionsQuery(q), enabled: q.length > 1 });
  const sessions = q.length > 1 ? found.data?.items : latest.data?.pages.flatMap(({ items }) => items);
  return (
    <Candidates
      {...props}
      label={t('automation.findConversation')}
      text={text}
      onText={setText}
      list={sessions?.map((session) => ({
        id: session.sessionId,
        name: customerName(session),
        detail: session.lastMessage?.text ?? '',
      }))}
    />
  );
}

function CardCandidates(props: CandidatesProps) {
  const [text, setText] = useState('');
  const q = useDeferredValue(text.trim());
  const found = useQuery({ ...foundRecordsQuery(q), enabled: q.length > 1 });
  return (
    <Candidates
      {...props}
      label={t('automation.findCard')}
      text={text}
      onText={setText}
      list={
        q.length > 1
          ? found.data?.items.map(({ recordId, title }) => ({
              id: recordId,
              name: shownTitle(title),
              detail: '',
            }))
          : []
      }
    />
  );
}

function Candidates({
  label,
  text,
  onText,
  list,
  busy,
  onTry,
}: CandidatesProps & {
  label: string;
  text: string;
  onText(text: string): void;
  list: readonly Candidate[] | undefined;
}) {
  return (
    <div className="flex flex-col gap-2">
      <SearchInput label={label} value={text} onChange={onText} />
      {list === undefined ? (
        <Skeleton className="h-24" />
      ) : list.length === 0 ? (
        text.trim().length > 1 && <p className="py-2 text-center text-muted">{t('ui.nothingFound')}</p>
      ) : (
        <ul aria-label={label} className="flex flex-col rounded-panel border border-line">
          {list.slice(0, shownCandidates).map((one) => (
            <li
              key={one.id}
              className="flex items-center gap-2 border-b border-line px-3 py-1.5 last:border-0"
            >
              <span className="flex min-w-0 flex-1 flex-col">
                <span className="truncate">{one.name}</span>
                {one.detail && <span className="truncate text-sm text-muted">{one.detail}</span>}
              </span>
              <Button
                size="small"
                busy={busy === one.id}
                aria-label={t('automation.tryWith', { name: one.name })}
                onClick={() => onTry(one)}
              >
                {t('automation.try')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const stateHues: { [state in DryRunStep['state']]: Hue | undefined } = {
  ready: 'green',
  unchanged: undefined,
  not_applicable: undefined,
  problem: 'red',
  not_reached: undefined,
};

function DryRunResult({ name, run }: { name: string; run: DryRun }) {
  const { matched, steps } = run;
  const reasonWords = useReasonWords();
  const Icon = matched ? CircleCheck : CircleMinus;
  return (
    <div role="status" className="flex flex-col gap-1 rounded-panel border border-line px-3 py-2">
      <p className="flex gap-2 font-medium">
        <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', matched ? 'text-success' : 'text-faint')} />
        <span className="min-w-0 break-words">
          {matched
            ? t('automation.wouldRun', { name })
            : t('automation.wouldNotRun', { name, reason: reasonWords(run) })}
        </span>
      </p>
      {!matched && <p className="text-sm text-muted">{t('automation.wouldOtherwise')}</p>}
      <ol aria-label={t('macros.steps')} className="flex flex-col divide-y divide-line">
        {steps.map((step) => (
          <DryStep key={step.path} step={step} />
        ))}
      </ol>
    </div>
  );
}

function DryStep({ step }: { step: DryRunStep }) {
  const { type, state, text, unfilled, branch, waitsUntil, path } = step;
  const reason = useReasonWords()(step);
  const Icon = ruleStepIcons[type];
  const depth = (path.match(/\.(then|else)\[/g) ?? []).length;
  const isLeft = state === 'not_reached';
  return (
    <li className={cx('flex gap-2.5 py-1.5', isLeft && 'text-faint')} style={{ paddingLeft: depth * 16 }}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 break-words">{ruleStepNames[type]()}</span>
          {/* Of an “if” the line below says where the run goes on. */}
          {!branch && <Badge hue={stateHues[state]}>{t(`automation.dry.${state}`)}</Badge>}
        </span>
        {text !== null && <span className="whitespace-pre-wrap break-words text-muted">{text}</span>}
        {unfilled.length > 0 && (
          <span className="text-sm break-words text-warning">
            {t('automation.unfilled', { names: unfilled.join(', ') })}
          </span>
        )}
        {branch && <span className="text-sm text-muted">{t(`automation.goesOn.${branch}`)}</span>}
        {reason && <span className="text-sm break-words text-muted">{reason}</span>}
        {waitsUntil !== null && (
          <span className="text-sm text-muted">
            {t('automation.waitsUntil', { time: dateTime(waitsUntil) })}
          </span>
        )}
      </div>
    </li>
  );
}

const periods = [7, 30, 90] as const;

function PastTrial({ ruleOf, onProblem }: TrialProps) {
  const [days, setDays] = useState<(typeof periods)[number]>(30);
  const [id, setId] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const begin = async () => {
    const rule = ruleOf();
    if (!rule) return;
    setBusy(true);
    try {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const started = await api<{ id: string }>('POST', '/automations/backtest', {
        body: { rule, days, timeZone },
      });
      setId(started.id);
    } catch (error) {
      onProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-label={t('automation.past')} className="flex flex-col gap-3">
      <Heading
        icon={<History aria-hidden className="size-4 text-muted" />}
        title={t('automation.past')}
        text={t('automation.pastText')}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={t('automation.period')}
          className="w-40!"
          value={String(days)}
          onChange={(value) => setDays(Number(value) as (typeof periods)[number])}
          options={periods.map((count) => ({
            value: String(count),
            label: tn('automation.lastDays', count),
          }))}
        />
        <Button className="h-8!" busy={busy} onClick={() => void begin()}>
          {t('automation.check')}
        </Button>
      </div>
      {id && <BacktestResult key={id} id={id} />}
    </section>
  );
}

function BacktestResult({ id }: { id: string }) {
  const query = useInfiniteQuery(backtestQuery(id));
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const first = query.data?.pages[0];
  if (!first || first.state === 'running')
    return <ProgressBar label={t('automation.checking')} share={null} />;
  if (first.state === 'failed') {
    return (
      <p role="alert" className="text-pretty text-danger">
        {t('automation.checkFailed', { reason: first.reason ?? '' })}
      </p>
    );
  }
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const matched = first.perDay.reduce((sum, day) => sum + day.matched, 0);
  const checked = first.perDay.reduce((sum, day) => sum + day.checked, 0);
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="font-medium">
        {tn('automation.wouldHave', matched, { shown: number(matched), checked: number(checked) })}
      </p>
      {matched > 0 && <Days days={first.perDay} />}
      <Limits backtest={first} />
      {items.length > 0 && (
        <ul aria-label={t('automation.past')} className="flex flex-col rounded-panel border border-line">
          {items.map((item) => (
            <li
              key={`${item.at} ${item.sessionId ?? item.recordId}`}
              className="flex items-center justify-between gap-2 border-b border-line px-3 py-1.5 last:border-0"
            >
              <PlaceLink {...item} />
              <Time ago at={item.at} className="text-sm text-muted" />
            </li>
          ))}
        </ul>
      )}
      <LoadMore query={query} />
    </div>
  );
}

/** What the figures leave out. */
function Limits({ backtest: { coveredFrom, approximate, approximateFields } }: { backtest: Backtest }) {
  return (
    <>
      <p className="text-sm text-pretty text-muted">
        {coveredFrom === null
          ? t('automation.noHistory')
          : t('automation.coveredFrom', { time: dateTime(coveredFrom) })}
      </p>
      {approximate && (
        <p className="text-sm text-pretty text-warning">
          {t('automation.approximate', { fields: approximateFields.join(', ') })}
        </p>
      )}
    </>
  );
}

/** Runs by day; the list below has the same for a screen reader. */
function Days({ days }: { days: Backtest['perDay'] }) {
  const most = Math.max(1, ...days.map(({ matched }) => matched));
  return (
    <div aria-hidden className="flex h-16 items-end gap-px border-b border-line">
      {days.map(({ date, matched, checked }) => (
        <span
          key={date}
          title={t('automation.ofDay', {
            date: plainDate(date),
            matched: number(matched),
            checked: number(checked),
          })}
          className={cx('min-w-0 flex-1 rounded-t-[2px]', matched > 0 ? 'bg-accent' : 'bg-line')}
          style={{ height: matched > 0 ? `${Math.max(6, (matched / most) * 100)}%` : 2 }}
        />
      ))}
    </div>
  );
}
