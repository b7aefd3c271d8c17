import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { LoggedReply } from '../../../../../contract/messaging/messages.ts';
import { number } from '../../../texts/format.ts';
import { locale, t } from '../../../texts/texts.ts';
import { Spinner } from '../../../ui/controls/button.tsx';
import { Badge } from '../../../ui/display/badge.tsx';
import { ErrorState } from '../../../ui/display/states.tsx';
import { whyQuery } from './why-data.ts';

export default function WhyPanel({ sessionId, replyId }: { sessionId: string; replyId: string }) {
  const query = useQuery(whyQuery(sessionId, replyId));
  if (query.isPending) return <Spinner />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  // Messages that were answered together have an entry each; one has the reply.
  const reply = query.data.items.find(({ outcome }) => outcome !== 'merged');
  return (
    <section
      aria-label={t('inbox.why')}
      className="flex w-[min(26rem,100%)] flex-col gap-2 rounded-control border border-line bg-sunken px-3 py-2 text-left text-sm"
    >
      {reply ? <Explanation reply={reply} /> : <p className="text-muted">{t('why.gone')}</p>}
    </section>
  );
}

function Explanation({ reply }: { reply: LoggedReply }) {
  const { retrieved, citations, toolCalls, guard, handover } = reply;
  const held = guard.filter((rule) => rule.held);
  return (
    <>
      <p className="tabular">{madeBy(reply).join(' · ')}</p>
      <Titles label={t('why.used')} titles={citations} none={t('why.usedNothing')} />
      <Titles label={t('why.saw')} titles={retrieved} none={t('why.sawNothing')} />
      {toolCalls.length > 0 && (
        <Part label={t('why.tools')}>
          <ul className="flex flex-col gap-1">
            {toolCalls.map((call, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes
              <li key={index}>
                <ToolCall call={call} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {guard.length > 0 && (
        <Part label={t('why.guard')}>
          <p>
            {held.length === 0 ? t('why.passed') : held.map(({ rule }) => t(`why.rule.${rule}`)).join(' ')}
          </p>
        </Part>
      )}
      {handover && (
        <Part label={t('why.handover')}>
          <p>{t(`why.handover.${handover.reason}`)}</p>
        </Part>
      )}
    </>
  );
}

function madeBy({ provider, model, agentVersion, cost, latencyMs, inputTokens, outputTokens }: LoggedReply) {
  const parts = [model ?? (provider === 'offline' ? t('why.offline') : t('why.noModel'))];
  if (agentVersion !== null) parts.push(t('why.version', { version: agentVersion }));
  if (cost !== null) parts.push(dollars(cost.amount));
  if (latencyMs !== null) parts.push(t('why.latency', { seconds: number(latencyMs / 1_000) }));
  if (inputTokens !== null && outputTokens !== null)
    parts.push(t('why.tokens', { input: number(inputTokens), output: number(outputTokens) }));
  return parts;
}

/** A reply costs a small part of a cent. */
const dollars = (amount: number): string =>
  new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumSignificantDigits: 3,
  }).format(amount);

function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <h4 className="text-xs text-muted">{label}</h4>
      {children}
    </div>
  );
}

function Titles({ label, titles, none }: { label: string; titles: LoggedReply['citations']; none: string }) {
  const names = [...new Set(titles.map(({ title, heading }) => (heading ? `${title} › ${heading}` : title)))];
  return (
    <Part label={label}>
      {names.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <ul className="flex flex-col">
          {names.map((name) => (
            <li key={name} className="truncate">
              {name || t('why.untitled')}
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function ToolCall({ call }: { call: LoggedReply['toolCalls'][number] }) {
  return (
    <details>
      <summary className="cursor-pointer">
        <code>{call.name}</code> {call.error !== null && <Badge hue="red">{t('why.refused')}</Badge>}{' '}
        <span className="tabular text-muted">{t('why.ms', { ms: number(call.ms) })}</span>
      </summary>
      <pre className="mt-1 max-h-48 overflow-auto rounded-control border border-line bg-surface p-2 text-xs whitespace-pre-wrap wrap-anywhere">
        {typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments, null, 2)}
        {`\n→ ${call.error ?? call.result ?? ''}`}
      </pre>
    </details>
  );
}
