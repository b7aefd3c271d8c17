/** What the reader of a chat has seen: new messages below, what counts as read, when older messages are needed. */
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { notificationsQuery } from '../../data/notifications.ts';
import { useMay } from '../../data/session.ts';
import { markSessionNotificationsRead } from '../../notifications/mark-read.ts';
import { markAsRead } from '../data/inbox-actions.ts';

/** How many messages of others have come since the reader left the end. */
export function useNewBelow(messages: Message[], isAtEnd: boolean): number {
  const [seen, setSeen] = useState(messages.at(-1)?.id);
  const newest = messages.at(-1)?.id;
  if (isAtEnd && seen !== newest) setSeen(newest);
  if (isAtEnd) return 0;
  const at = messages.findIndex(({ id }) => id === seen);
  return at < 0 ? 0 : messages.slice(at + 1).filter(({ isNote }) => !isNote).length;
}

/** Messages are read when the chat is scrolled to its end in a visible window. */
export function useReading(session: InboxSession, isAtEnd: boolean): void {
  const [visible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  const { sessionId, unread } = session;
  // Read by somebody who may not reply, it is still unread for the team.
  const counts = useMay('conversations.reply');
  const told = useQuery(notificationsQuery).data?.unread;
  const latest = useRef(session);
  latest.current = session;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each new number of unread messages
  useEffect(() => {
    if (counts && unread > 0 && visible && isAtEnd) void markAsRead(latest.current);
    else if (visible && isAtEnd) markSessionNotificationsRead(sessionId);
  }, [sessionId, unread, visible, isAtEnd, told, counts]);
}

/** The returned element is at an edge of the chat: before it is scrolled to, the next page is needed. */
export function useNearEdge(
  scroller: RefObject<HTMLDivElement | null>,
  enabled: boolean,
  onNear: () => void,
): RefObject<HTMLDivElement | null> {
  const edge = useRef<HTMLDivElement>(null);
  const run = useRef(onNear);
  run.current = onNear;
  useEffect(() => {
    if (!enabled || !edge.current) return;
    const watch = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && run.current(),
      { root: scroller.current, rootMargin: '400px 0px' },
    );
    watch.observe(edge.current);
    return () => watch.disconnect();
  }, [enabled, scroller]);
  return edge;
}
