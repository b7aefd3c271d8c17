/** Above a long conversation, or one that an agent handed over: what it is about. It is made when it is opened. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ChevronRight, ScrollText } from 'lucide-react';
import { useId, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, Spinner } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/display/markdown.tsx';
import { messagesQuery } from '../data/message-data.ts';
import { summaryQuery } from './copilot-data.ts';
import { copilotProblem } from './copilot-words.ts';

/** Shorter ones are read as quickly as their summary. */
const longFrom = 20;
const handedOverFrom = 5;

export default function ConversationSummary({ session }: { session: InboxSession }) {
  const { sessionId, aiPaused, needsAttention } = session;
  const { data, hasNextPage } = useInfiniteQuery(messagesQuery(sessionId));
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const said = (data?.pages.flatMap(({ items }) => items) ?? []).filter(({ role }) => role !== 'system');
  const isLong = hasNextPage || said.length >= longFrom;
  const isHandedOver =
    (aiPaused || needsAttention) &&
    said.length >= handedOverFrom &&
    said.some(({ role }) => role === 'assistant');
  if (!isLong && !isHandedOver) return null;
  return (
    <div className="shrink-0 border-b border-line bg-surface">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex h-8 w-full items-center gap-1.5 px-4 text-muted hover:bg-hover hover:text-ink focus-visible:-outline-offset-2"
      >
        <ScrollText aria-hidden className="size-3.5 text-(--hue-purple)" />
        {t('copilot.summary')}
        <ChevronRight aria-hidden className={cx('size-3.5 transition-transform', isOpen && 'rotate-90')} />
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Summary sessionId={sessionId} newestFirst={said} />}
      </div>
    </div>
  );
}

function Summary({ sessionId, newestFirst }: { sessionId: string; newestFirst: readonly Message[] }) {
  const { data, error, isFetching, refetch } = useQuery(summaryQuery(sessionId));
  const isOutdated = data !== undefined && newestFirst[0]?.id !== data.basedOnMessageId;
  return (
    <div
      aria-busy={isFetching}
      aria-live="polite"
      className="mx-auto flex max-h-60 max-w-3xl flex-col gap-2 overflow-y-auto px-4 pb-3"
    >
      {data && <Markdown text={data.text} />}
      {!isFetching && error && <p className="text-danger">{copilotProblem(error)}</p>}
      {isFetching ? (
        <p className="flex items-center gap-1.5 text-sm text-muted">
          <Spinner /> {t('copilot.summary.making')}
        </p>
      ) : (
        (isOutdated || error) && (
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            {isOutdated && t('copilot.summary.outdated')}
            <Button size="small" onClick={() => void refetch()}>
              {isOutdated ? t('copilot.summary.again') : t('ui.retry')}
            </Button>
          </p>
        )
      )}
    </div>
  );
}
