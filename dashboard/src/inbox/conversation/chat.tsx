import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowDown } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { fullDate, shortDate } from '../../texts/format.ts';
import { t, tn, withTexts } from '../../texts/texts.ts';
import { Spinner } from '../../ui/controls/button.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { changesQuery, pausesQuery } from '../data/inbox-data.ts';
import { type Outgoing, useOutgoing } from '../data/outbox.ts';
import { ChangeLine, isShownChange } from '../lifecycle/change-line.tsx';
import type { ConversationSearch } from '../search/conversation-search.ts';
import { HitBar } from '../search/hit-bar.tsx';
import { HitFrame } from '../search/hit-frame.tsx';
import { type ChatPages, useChatPages } from '../search/use-chat-pages.ts';
import { useHitMarks } from '../search/use-hit-marks.ts';
import { toolCallsQuery } from './calls/tool-call-data.ts';
import { type ChatItem, chatItems, chatLines, firstUnread } from './chat-items.ts';
import { ChatMessage } from './chat-message.tsx';
import { Lightbox, type ShownPicture } from './media/lightbox.tsx';
import { OutgoingMessage } from './outgoing-message.tsx';
import { PauseLine } from './pause-line.tsx';
import { TypingLine } from './typing.tsx';
import { useChatScroll } from './use-chat-scroll.ts';
import { useNearEdge, useNewBelow, useReading } from './use-reading.ts';

const ToolCallCard = lazy(withTexts('calls', () => import('./calls/tool-call-card.tsx')));

export function Chat({ session }: { session: InboxSession }) {
  const { sessionId } = session;
  const hit = useSearch({ from: '/shell/inbox/$sessionId' });
  const pages = useChatPages(sessionId, hit.message);
  const waiting = useOutgoing();
  const outgoing = useMemo(() => waiting.filter((one) => one.sessionId === sessionId), [waiting, sessionId]);
  return (
    <>
      {hit.message && hit.q && <HitBar sessionId={sessionId} q={hit.q} message={hit.message} />}
      {pages.isPending ? (
        <LoadingChat />
      ) : pages.error ? (
        <ErrorState error={pages.error} onRetry={pages.retry} />
      ) : (
        <OpenChat key={sessionId} session={session} pages={pages} outgoing={outgoing} hit={hit} />
      )}
    </>
  );
}

interface OpenChatProps {
  session: InboxSession;
  pages: ChatPages;
  outgoing: Outgoing[];
  hit: ConversationSearch;
}

function OpenChat({ session, pages, outgoing, hit }: OpenChatProps) {
  const { messages, older, newer } = pages;
  const { sessionId } = session;
  const navigate = useNavigate();
  const [newFrom] = useState(() => firstUnread(messages, session.unread));
  const { data: pauses } = useQuery(pausesQuery(sessionId));
  const { data: changes } = useQuery(changesQuery(sessionId));
  const { data: calls } = useQuery(toolCallsQuery(sessionId));
  const lines = useMemo(
    () => chatLines(pauses ?? [], changes?.filter(isShownChange) ?? [], calls ?? []),
    [pauses, changes, calls],
  );
  const isWhole = newer === null;
  const items = useMemo(
    () => chatItems(messages, isWhole ? outgoing : [], newFrom, lines),
    [messages, isWhole, outgoing, newFrom, lines],
  );
  const isHitThere = messages.some(({ id }) => id === hit.message);
  const { scroller, content, isAtEnd, toEnd, toMessage } = useChatScroll(items, isWhole, !isHitThere);
  const [picture, setPicture] = useState<ShownPicture | null>(null);
  const below = useNewBelow(messages, isAtEnd);
  useReading(session, isAtEnd && isWhole);
  const toNewest = useCallback(() => {
    if (!isWhole)
      void navigate({ to: '/inbox/$sessionId', params: { sessionId }, search: {}, replace: true });
    toEnd();
  }, [isWhole, navigate, sessionId, toEnd]);
  const sent = outgoing.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each message that is sent
  useEffect(() => {
    if (sent) toNewest();
  }, [sent]);
  useLayoutEffect(() => {
    if (hit.message && isHitThere) toMessage(hit.message);
  }, [hit.message, isHitThere, toMessage]);
  useHitMarks(sessionId, { message: hit.message, q: hit.q }, items);
  const top = useNearEdge(scroller, older.isThere && !older.isLoading, older.load);
  const end = useNearEdge(scroller, newer !== null && !newer.isLoading, () => newer?.load());
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        role="log"
        aria-label={t('inbox.chat')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: to be scrolled by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div ref={content} className="mx-auto flex min-h-full max-w-3xl flex-col justify-end px-4 pt-4 pb-2">
          <div ref={top} className="flex h-8 items-center justify-center text-sm text-faint">
            {older.isLoading ? <Spinner /> : !older.isThere && t('inbox.begin')}
          </div>
          {items.map((item) => (
            <HitFrame key={item.key} isHit={item.key === hit.message}>
              <Item item={item} session={session} onPicture={setPicture} />
            </HitFrame>
          ))}
          {isWhole ? <TypingLine sessionId={sessionId} /> : <div ref={end} className="h-8 shrink-0" />}
        </div>
      </div>
      {!(isAtEnd && isWhole) && (
        <button
          type="button"
          onClick={toNewest}
          // The button floats over the chat, which must still scroll.
          onWheel={(event) => scroller.current?.scrollBy(0, event.deltaY)}
          aria-label={below > 0 ? tn('inbox.newBelow', below) : t('inbox.toEnd')}
          className="rise-in absolute bottom-3 left-1/2 flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full bg-raised px-3 font-medium text-accent-ink shadow-float hover:bg-hover"
        >
          <ArrowDown className="size-3.5" />
          {below > 0 && tn('inbox.newBelow', below)}
        </button>
      )}
      {picture && <Lightbox picture={picture} onClose={() => setPicture(null)} />}
    </div>
  );
}

interface ItemProps {
  item: ChatItem;
  session: InboxSession;
  onPicture(picture: ShownPicture): void;
}

function Item({ item, session, onPicture }: ItemProps) {
  if (item.kind === 'day') return <Day at={item.at} />;
  if (item.kind === 'pause') return <PauseLine pause={item.pause} />;
  if (item.kind === 'change') return <ChangeLine entry={item.change} />;
  if (item.kind === 'call') {
    return (
      <Suspense fallback={<Skeleton className="my-3 ml-10 h-9 sm:ml-16" />}>
        <ToolCallCard call={item.call} session={session} />
      </Suspense>
    );
  }
  if (item.kind === 'outgoing') return <OutgoingMessage outgoing={item.outgoing} />;
  if (item.kind === 'message') return <ChatMessage {...item} session={session} onPicture={onPicture} />;
  return (
    <div className="my-3 flex items-center gap-3 text-sm font-medium text-accent-ink">
      <span className="h-px flex-1 bg-accent/40" />
      {t('inbox.new')}
      <span className="h-px flex-1 bg-accent/40" />
    </div>
  );
}

function Day({ at }: { at: number }) {
  const day = new Date(at).toDateString();
  const now = Date.now();
  const text =
    day === new Date(now).toDateString()
      ? t('inbox.today')
      : day === new Date(now - 86_400_000).toDateString()
        ? t('inbox.yesterday')
        : shortDate(at);
  return (
    <div className="my-4 flex items-center gap-3 text-sm text-faint first:mt-0">
      <span className="h-px flex-1 bg-line" />
      <span title={fullDate(at)}>{text}</span>
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}

function LoadingChat() {
  return (
    <div
      role="status"
      aria-label={t('ui.loading')}
      className="mx-auto flex w-full max-w-3xl flex-1 flex-col justify-end gap-3 px-4 pb-4"
    >
      <Skeleton className="h-12 w-1/2" />
      <Skeleton className="h-9 w-1/3" />
      <Skeleton className="h-14 w-3/5 self-end" />
      <Skeleton className="h-9 w-2/5" />
      <Skeleton className="h-9 w-1/2 self-end" />
    </div>
  );
}
