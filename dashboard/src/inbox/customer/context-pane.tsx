/** Beside the chat: the customer's card with its fields, the AI, and what else they have written. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink, X } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { LoggedReply } from '../../../../contract/messages.ts';
import type { RecordUpdate } from '../../../../contract/records.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { changeRecords } from '../../board/data/board-acts.ts';
import { customerName, shownTitle } from '../../data/customer-name.ts';
import { useAgents, useChannels, useKanbans } from '../../data/queries.ts';
import { conversationsQuery, recordQuery } from '../../record/record-data.ts';
import { RecordFields } from '../../record/record-fields.tsx';
import { TitleEditor } from '../../record/title-editor.tsx';
import { number, shortDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Dot } from '../../ui/display/badge.tsx';
import { ChannelIcon } from '../../ui/display/channel-icon.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { Time } from '../../ui/display/time.tsx';
import { AiState } from '../conversation/conversation-header.tsx';
import { lastReplyQuery, sameCustomerQuery } from '../data/inbox-data.ts';
import { reasonInWords } from '../data/reasons.ts';

interface ContextPaneProps {
  session: InboxSession;
  width: number;
  /** There is no room beside the chat. */
  covers: boolean;
  onClose(): void;
}

export function ContextPane({ session, width, covers, onClose }: ContextPaneProps) {
  useShortcut('escape', onClose, { label: t('ui.close'), group: 'inbox', enabled: covers });
  return (
    <aside
      aria-label={t('inbox.context')}
      style={covers ? undefined : { width }}
      className={cx(
        'flex shrink-0 flex-col bg-surface',
        covers &&
          'slide-in fixed inset-y-0 right-0 z-30 w-full border-l border-line shadow-float sm:w-[360px]',
      )}
    >
      <header className="flex h-12 shrink-0 items-center border-b border-line pr-2 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{t('inbox.context')}</h2>
        <IconButton label={t('inbox.context.hide')} tip={false} onClick={onClose}>
          <X className="size-4" />
        </IconButton>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: to be scrolled by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2">
        <CustomerCard session={session} />
        <AiPart session={session} />
        <OtherConversations session={session} />
        <AboutSession session={session} />
      </div>
    </aside>
  );
}

function CustomerCard({ session: { recordId } }: { session: InboxSession }) {
  const query = useQuery({ ...recordQuery(recordId ?? ''), enabled: recordId !== null });
  const boards = useKanbans();
  const record = query.data;
  const board = boards.find(({ id }) => id === record?.kanbanId);
  const change = useCallback(
    (update: RecordUpdate) => {
      if (record) void changeRecords([record], update);
    },
    [record],
  );
  if (recordId === null) return <p className="px-5 py-4 text-muted">{t('inbox.context.noCard')}</p>;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!record || !board) {
    return (
      <div role="status" aria-label={t('ui.loading')} className="flex flex-col gap-3 p-5">
        <Skeleton className="h-6 w-2/3" />
        <Skeleton className="h-8" />
        <Skeleton className="h-5" />
        <Skeleton className="h-5" />
      </div>
    );
  }
  return (
    <section aria-label={t('inbox.context.card')} className="pt-3">
      <div className="flex items-start gap-1 px-5">
        <div className="min-w-0 flex-1 [&_textarea]:text-lg!">
          <TitleEditor
            key={recordId}
            value={shownTitle(record.title)}
            onCommit={(title) => change({ title })}
          />
        </div>
        <Link
          to="/boards/$boardId/records/$recordId"
          params={{ boardId: board.slug, recordId }}
          aria-label={t('inbox.context.openCard')}
          title={t('inbox.context.openCard')}
          className="mt-1 flex size-7 shrink-0 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
        >
          <ExternalLink className="size-4" />
        </Link>
      </div>
      <div className="px-5 py-2">
        <Select
          label={t('record.field.status')}
          value={record.status}
          onChange={(status) => change({ status })}
          options={board.statuses.map(({ value, label, color }) => ({
            value,
            label,
            mark: <Dot color={color} />,
          }))}
        />
      </div>
      {/* The pane is narrower than the record's panel. */}
      <div className="[&_.w-36]:w-28">
        <RecordFields record={record} board={board} onChange={change} />
      </div>
    </section>
  );
}

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

function AiPart({ session }: { session: InboxSession }) {
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

function OtherConversations({ session }: { session: InboxSession }) {
  const { data: ofRecord = [] } = useQuery({
    ...conversationsQuery(session.recordId ?? ''),
    enabled: session.recordId !== null,
  });
  const { data: ofCustomer = [] } = useQuery(sameCustomerQuery(session.externalUserId));
  const others = [
    ...new Map([...ofRecord, ...ofCustomer].map((one) => [one.sessionId, one])).values(),
  ].filter((one) => one.sessionId !== session.sessionId);
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

function AboutSession({ session }: { session: InboxSession }) {
  const channel = useChannels().find(({ id }) => id === session.channelId);
  return (
    <Part title={t('inbox.context.about')}>
      <dl>
        <Fact name={t('inbox.context.channel')}>
          <ChannelIcon type={session.channelType} className="size-3.5 shrink-0 text-faint" />
          <span className="min-w-0">{channel?.name ?? session.channelType}</span>
        </Fact>
        {session.externalUserId !== null && (
          <Fact name={t('inbox.context.customer')}>
            <span className="min-w-0 flex-1">{session.externalUserId}</span>
            <CopyButton value={session.externalUserId} label={t('ui.copy')} />
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
