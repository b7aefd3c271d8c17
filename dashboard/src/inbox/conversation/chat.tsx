import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messages.ts';
import { useLiveStatus } from '../../data/live.ts';
import { fullDate, shortDate } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Spinner } from '../../ui/controls/button.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { messagesQuery, pausesQuery } from '../data/inbox-data.ts';
import { type Outgoing, useOutgoing } from '../data/outbox.ts';
import { type ChatItem, chatItems, firstUnread } from './chat-items.ts';
import { ChatMessage } from './chat-message.tsx';
import { Lightbox, type ShownPicture } from './media/lightbox.tsx';
import { OutgoingMessage } from './outgoing-message.tsx';
import { PauseLine } from './pause-line.tsx';
import { TypingLine } from './typing.tsx';
import { useChatScroll } from './use-chat-scroll.ts';
import { useLinkedMessage } from './use-linked-message.ts';
import { useNearTop, useNewBelow, useReading } from './use-reading.ts';

export function Chat({ session }: { session: InboxSession }) {
  const { sessionId } = session;
  const live = useLiveStatus();
  const query = useInfiniteQuery({
    ...messagesQuery(sessionId),
    refetchInterval: live === 'open' ? false : 20_000,
  });
  const messages = useMemo(() => {
    const all = query.data?.pages.flatMap((page) => page.items) ?? [];
    return [...new Map(all.map((message) => [message.id, message])).values()].reverse();
  }, [query.data]);
  const waiting = useOutgoing();
  const outgoing = useMemo(() => waiting.filter((one) => one.sessionId === sessionId), [waiting, sessionId]);
  if (query.isPending) return <LoadingChat />;
  if (query.isError && messages.length === 0) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <OpenChat
      key={sessionId}
      session={session}
      messages={messages}
      outgoing={outgoing}
      hasOlder={query.hasNextPage}
      isLoadingOlder={query.isFetchingNextPage}
      loadOlder={() => void query.fetchNextPage()}
    />
  );
}

interface OpenChatProps {
  session: InboxSession;
  messages: Message[];
  outgoing: Outgoing[];
  hasOlder: boolean;
  isLoadingOlder: boolean;
  loadOlder(): void;
}

function OpenChat({ session, messages, outgoing, hasOlder, isLoadingOlder, loadOlder }: OpenChatProps) {
  const [newFrom] = useState(() => firstUnread(messages, session.unread));
  const { data: pauses } = useQuery(pausesQuery(session.sessionId));
  const items = useMemo(
    () => chatItems(messages, outgoing, newFrom, pauses),
    [messages, outgoing, newFrom, pauses],
  );
  const { scroller, content, isAtEnd, toEnd, toMessage } = useChatScroll(items);
  useLinkedMessage(content, toMessage);
  const [picture, setPicture] = useState<ShownPicture | null>(null);
  const below = useNewBelow(messages, isAtEnd);
  useReading(session, isAtEnd);
  const sent = outgoing.at(-1)?.id;
  useEffect(() => {
    if (sent) toEnd();
  }, [sent, toEnd]);
  const top = useNearTop(scroller, hasOlder && !isLoadingOlder, loadOlder);
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
            {isLoadingOlder ? <Spinner /> : !hasOlder && t('inbox.begin')}
          </div>
          {items.map((item) => (
            <Item key={item.key} item={item} session={session} onPicture={setPicture} />
          ))}
          <TypingLine sessionId={session.sessionId} />
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          onClick={toEnd}
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
