/** The cached chats, updated by local and live changes. */
import type { InfiniteData } from '@tanstack/react-query';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import type { Page } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { readAgainIfUnderWay } from '../../data/refresh.ts';

type Messages = InfiniteData<Page<Message>>;
/** Of the newest messages (`nextToken`), or of the part around a message (`older` and `newer`). */
type ChatPage = { items: Message[]; nextToken?: string | null; older?: string | null; newer?: string | null };
type ChatPart = InfiniteData<ChatPage>;
type LastMessage = InboxSession['lastMessage'];

/** In every loaded part of the chat: a known message is replaced in place, a new one is inserted by its time. */
export function placeMessage(sessionId: string, message: Message): void {
  queryClient.setQueriesData<ChatPart>({ queryKey: keys.messages(sessionId) }, (old) => {
    if (!old) return old;
    const isKnown = old.pages.some((page) => page.items.some(({ id }) => id === message.id));
    const target = isKnown ? -1 : pageFor(old.pages, message);
    const pages = old.pages.map((page, index) => {
      if (isKnown) {
        return { ...page, items: page.items.map((one) => (one.id === message.id ? message : one)) };
      }
      return index === target ? { ...page, items: insertedByTime(page.items, message) } : page;
    });
    return { ...old, pages };
  });
  readAgainIfUnderWay(keys.messages(sessionId));
}

/** Among the loaded ones. */
export function findMessage(sessionId: string, messageId: string): Message | undefined {
  for (const [, data] of queryClient.getQueriesData<ChatPart>({ queryKey: keys.messages(sessionId) })) {
    for (const page of data?.pages ?? []) {
      const found = page.items.find(({ id }) => id === messageId);
      if (found) return found;
    }
  }
  return undefined;
}

/** The index of the page that a new message belongs to. -1: it is outside of what is loaded. */
function pageFor(pages: readonly ChatPage[], { timestamp }: Message): number {
  const newest = pages.find(({ items }) => items.length > 0)?.items[0];
  const endsBefore = (pages[0]?.newer ?? null) !== null;
  if (endsBefore && (newest?.timestamp ?? 0) < timestamp) return -1;
  const at = pages.findIndex(({ items }) => items.length > 0 && items.at(-1)!.timestamp <= timestamp);
  if (at >= 0) return at;
  const last = pages.at(-1);
  return (last?.nextToken ?? last?.older ?? null) === null ? pages.length - 1 : -1;
}

/**
 * Whether the conversation needs attention although a person has taken it over: a held reply does until it is released
 * or dropped. Older messages that are not loaded may hold one, so attention ends only when all were read.
 */
export const keepsAttention = ({ sessionId, needsAttention }: Session) =>
  needsAttention && hasHeldReply(sessionId) !== false;

/** Undefined: older messages are not loaded, only the service knows. */
function hasHeldReply(sessionId: string): boolean | undefined {
  const pages = queryClient.getQueryData<Messages>(keys.messages(sessionId))?.pages ?? [];
  if (pages.some((page) => page.items.some(({ held }) => held))) return true;
  return pages.at(-1)?.nextToken === null ? false : undefined;
}

/** When the customer wrote last, as far as it is loaded. */
export function customerWroteAt(sessionId: string): number | undefined {
  const pages = queryClient.getQueryData<Messages>(keys.messages(sessionId))?.pages ?? [];
  return pages.flatMap((page) => page.items).find(isOfCustomer)?.timestamp;
}

export const isOfCustomer = ({ role }: Message) => role === 'user';

/** Newest first. The response to an own message may arrive after a later message of someone else. */
function insertedByTime(items: Message[], message: Message): Message[] {
  const at = items.findIndex((one) => one.timestamp <= message.timestamp);
  return at < 0 ? [...items, message] : items.toSpliced(at, 0, message);
}

export function dropMessage(sessionId: string, messageId: string): void {
  queryClient.setQueriesData<ChatPart>(
    { queryKey: keys.messages(sessionId) },
    (old) =>
      old && {
        ...old,
        pages: old.pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => id !== messageId) })),
      },
  );
  readAgainIfUnderWay(keys.messages(sessionId));
}

/** What the list shows of a message. */
export const previewOf = (message: Message): LastMessage => ({
  role: message.role,
  text: message.content.slice(0, 160),
  fileType: (message.attachments as { contentType: string }[])[0]?.contentType ?? null,
});
