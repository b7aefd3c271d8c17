/** Parts of the pane beside the chat: the AI, other conversations of the customer, facts about this one. */

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { LoggedReply } from '../../../../contract/messaging/messages.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { contactSessionsQuery } from '../../contacts/contact-data.ts';
import { useAgents, useChannels, useTeams } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { conversationsQuery } from '../../record/record-data.ts';
import { customerName } from '../../texts/customer-name.ts';
import { number, shortDate } from '../../texts/format.ts';
import { shownPhone } from '../../texts/phone.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { CopyButton } from '../../ui/controls/copy-field.tsx';
import { ChannelIcon } from '../../ui/display/channel-icon.tsx';
import { Time } from '../../ui/display/time.tsx';
import { AiState } from '../conversation/ai-state.tsx';
import { lastReplyQuery, sameCustomerQuery } from '../data/inbox-data.ts';
import { reasonInWords } from '../data/reasons.ts';
import { labelSessions } from '../lifecycle/triage.ts';

const LabelPicker = lazyView(
  withTexts('labels', () => import('../../labels/label-picker.tsx')),
  'default',
);

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="border-t border-line px-5 py-3">
    <h3 className="mb-1.5 font-medium">{title}</h3>
    {children}
  </section>
);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-h-7 items-start gap-2">
    <dt className="w-28 shrink-0 py-1 text-muted">{name}</dt>
    <dd className="flex min-h-7 min-w-0 flex-1 items-center gap-1.5 py-1 pl-2 wrap-anywhere">{children}</dd>
  </div>
);

export function LabelsPart({ session }: { session: InboxSession }) {
  const mayLabel = useMay('conversations.reply');
  return (
    <Part title={t('inbox.context.labels')}>
      <div className="-mx-2">
        <Suspense fallback={<div className="h-8" />}>
          <LabelPicker
            ids={session.labelIds}
            isReadOnly={!mayLabel}
            onChange={(change) => void labelSessions([session], change)}
          />
        </Suspense>
      </div>
    </Part>
  );
}

export function AiPart({ session }: { session: InboxSession }) {
  const agent = useAgents().find(({ id }) => id === session.agentId)?.name ?? t('inbox.ai.formerAgent');
  const { data: reply } = useQuery(lastReplyQuery(session.sessionId));
  return (
    <Part title={t('inbox.context.ai')}>
      <dl>
        <Fact name={t('inbox.context.agent')}>{agent}</Fact>
        <Fact name={t('inbox.context.state')}>
          <AiState wraps session={session} agent={agent} />
        </Fact>
        {reply && (
          <>
            <Fact name={t('inbox.context.lastReply')}>
              <span className="min-w-0 flex-1">{outcomeText(reply)}</span>
              <Time at={reply.createdAt} className="tabular text-sm text-faint" />
            </Fact>
            {reply.latencyMs !== null && (
              <Fact name={t('inbox.context.latency')}>
                <span className="tabular">
                  {reply.latencyMs < 1_000
                    ? t('inbox.context.milliseconds', { count: number(reply.latencyMs) })
                    : t('inbox.context.seconds', { count: number(Math.round(reply.latencyMs / 100) / 10) })}
                </span>
              </Fact>
            )}
            {reply.inputTokens !== null && reply.outputTokens !== null && (
              <Fact name={t('inbox.context.tokens')}>
                <span className="tabular">
                  {t('inbox.context.tokensValue', {
                    input: number(reply.inputTokens),
                    output: number(reply.outputTokens),
                  })}
                </span>
              </Fact>
            )}
            {reply.model !== null && <Fact name={t('inbox.context.model')}>{reply.model}</Fact>}
          </>
        )}
      </dl>
    </Part>
  );
}

function outcomeText({ outcome, reason }: LoggedReply): string {
  if (outcome === 'suppressed')
    return t('inbox.context.outcome.suppressed', { reason: reasonInWords(reason) });
  if (outcome === 'failed') return t('inbox.context.outcome.failed', { reason: reasonInWords(reason) });
  return t(`inbox.context.outcome.${outcome}`);
}

export function OtherConversations({ session }: { session: InboxSession }) {
  const { data: ofRecord = [] } = useQuery({
    ...conversationsQuery(session.recordId ?? ''),
    enabled: session.recordId !== null,
  });
  const { contactId } = session;
  const ofContact = useInfiniteQuery({
    ...contactSessionsQuery(contactId ?? ''),
    enabled: contactId !== null,
  });
  const { data: ofCustomer = [] } = useQuery(sameCustomerQuery(contactId ? null : session.externalUserId));
  const known = ofContact.data?.pages[0]?.items ?? ofCustomer;
  const others = [...new Map([...ofRecord, ...known].map((one) => [one.sessionId, one])).values()].filter(
    (one) => one.sessionId !== session.sessionId,
  );
  if (others.length === 0) return null;
  return (
    <Part title={t('inbox.context.others')}>
      <ul className="-mx-2">
        {others.slice(0, 10).map((other) => (
          <li key={other.sessionId}>
            <Link
              to="/inbox/$sessionId"
              params={{ sessionId: other.sessionId }}
              className="flex h-8 items-center gap-2 rounded-control px-2 hover:bg-hover"
            >
              <ChannelIcon type={other.channelType} className="size-3.5 shrink-0 text-faint" />
              <span title={customerName(other)} className="min-w-0 flex-1 truncate">
                {customerName(other)}
              </span>
              <Time at={other.lastMessageAt} className="tabular text-sm text-faint" />
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  );
}

export function AboutSession({ session }: { session: InboxSession }) {
  const channel = useChannels().find(({ id }) => id === session.channelId);
  const team = useTeams().find(({ id }) => id === session.teamId);
  return (
    <Part title={t('inbox.context.about')}>
      <dl>
        <Fact name={t('inbox.context.channel')}>
          <ChannelIcon type={session.channelType} className="size-3.5 shrink-0 text-faint" />
          <span className="min-w-0">{channel?.name ?? session.channelType}</span>
        </Fact>
        {team && <Fact name={t('inbox.owner.team')}>{team.name}</Fact>}
        {session.externalUserId !== null && (
          <Fact name={t('inbox.context.customer')}>
            <span className="min-w-0 flex-1">{shownPhone(session.externalUserId)}</span>
            <CopyButton value={session.externalUserId} label={t('ui.copy')} />
          </Fact>
        )}
        {session.customerEmail !== null && (
          <Fact name={t('inbox.context.email')}>
            <a
              href={`mailto:${session.customerEmail}`}
              className="min-w-0 flex-1 text-accent-ink hover:underline"
            >
              {session.customerEmail}
            </a>
            <CopyButton value={session.customerEmail} label={t('ui.copy')} />
          </Fact>
        )}
        <Fact name={t('inbox.context.began')}>{shortDate(session.createdAt)}</Fact>
        <Fact name={t('inbox.context.id')}>
          <code className="min-w-0 flex-1 font-mono text-sm">{session.sessionId}</code>
          <CopyButton value={session.sessionId} label={t('ui.copy')} />
        </Fact>
      </dl>
    </Part>
  );
}
