/** Messages in the store: the queries of chats, how they are kept current, and what follows from those that are loaded. */
import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { api, type Page } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { readAgainIfUnderWay } from '../../data/refresh.ts';
import { addKind, type ChatMessage, findThing, hear } from '../../data/store/entities.ts';
import {
  addList,
  addOne,
  hasInPages,
  type One,
  ofKind,
  readItems,
  selectOne,
  selectPages,
  things,
} from '../../data/store/lists.ts';
import { hasWaitingCall } from '../conversation/calls/tool-call-data.ts';

/** The ID of a message in the store. */
export const messageKey = (sessionId: string, id: string) => `${sessionId} ${id}`;

addKind('message', {
  idOf: ({ sessionId, id }) => messageKey(sessionId, id),
  joined: (heard, known) => (known && isOlder(heard, known) ? known : heard),
});

const statusOrder: readonly Message['status'][] = [null, 'sent', 'delivered', 'read'];

/** By what never goes back; what failed may be sent again. Otherwise what was heard last counts. */
function isOlder(heard: Message, known: Message): boolean {
  if ((heard.deletedAt === null) !== (known.deletedAt === null)) return heard.deletedAt === null;
  if (heard.editedAt !== known.editedAt) return (heard.editedAt ?? 0) < (known.editedAt ?? 0);
  if (heard.held !== known.held) return heard.held;
  if (heard.status === 'failed' || known.status === 'failed') return false;
  return statusOrder.indexOf(heard.status) < statusOrder.indexOf(known.status);
}

/** Of the newest messages (`nextToken`), or of the part around a message (`older` and `newer`). */
interface ChatPage {
  items: string[];
  nextToken?: string | null;
  older?: unknown;
  newer?: unknown;
}
type ChatPart = InfiniteData<ChatPage>;

const pathOf = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}/messages`;

export const readMessages = (sessionId: string, items: readonly Message[]): string[] =>
  readItems(
    'message',
    items.map((message) => ({ ...message, sessionId })),
  );

const select = selectPages('message');

/** Newest first, page by page into the past. */
export const messagesQuery = (sessionId: string) =>
  infiniteQueryOptions({
    queryKey: keys.messages(sessionId),
    queryFn: async ({ pageParam, signal }): Promise<Page<string>> => {
      const query = { nextToken: pageParam };
      const page = await api<Page<Message>>('GET', pathOf(sessionId), { query, signal });
      return { ...page, items: readMessages(sessionId, page.items) };
    },
    select,
    ...ofKind('message'),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
  });

addList<'message', ChatPart>({
  kind: 'message',
  isOf: ([messages]) => messages === 'messages',
  has: hasInPages,
  placed(part, message, { key }) {
    const { sessionId, timestamp } = message;
    const id = messageKey(sessionId, message.id);
    if (key[1] !== sessionId || hasInPages(part, id)) return part;
    const target = pageFor(part.pages, message);
    const isNotAfter = (other: string) => (findThing('message', other)?.timestamp ?? Infinity) <= timestamp;
    const pages = part.pages.map((page, index) => {
      if (index !== target) return page;
      // The response to an own message may arrive after a later message of someone else.
      const at = page.items.findIndex(isNotAfter);
      return { ...page, items: page.items.toSpliced(at < 0 ? page.items.length : at, 0, id) };
    });
    return { ...part, pages };
  },
});

/** The index of the page that a new message belongs to. -1: it is outside of what is loaded. */
function pageFor(pages: readonly ChatPage[], { timestamp }: ChatMessage): number {
  const loaded = pages.map(({ items }) => things('message', items));
  const newest = loaded.find((items) => items.length > 0)?.[0];
  const endsBefore = (pages[0]?.newer ?? null) !== null;
  if (endsBefore && (newest?.timestamp ?? 0) < timestamp) return -1;
  const at = loaded.findIndex((items) => items.length > 0 && items.at(-1)!.timestamp <= timestamp);
  if (at >= 0) return at;
  const last = pages.at(-1);
  return (last?.nextToken ?? last?.older ?? null) === null ? pages.length - 1 : -1;
}

const selectMessage = selectOne('message');

/** A message that another one quotes. Null: it no longer exists. */
export const quotedQuery = (sessionId: string, messageId: string) =>
  queryOptions({
    queryKey: [...keys.session(sessionId), 'quoted', messageId],
    queryFn: async ({ signal }): Promise<One> => {
      const query = { around: messageId, limit: 1 };
      const { items } = await api<Page<Message>>('GET', pathOf(sessionId), { query, signal });
      readMessages(sessionId, items);
      return { id: messageKey(sessionId, messageId) };
    },
    // The chat may have loaded it.
    initialData: () => {
      const id = messageKey(sessionId, messageId);
      return findThing('message', id) ? { id } : undefined;
    },
    initialDataUpdatedAt: 0,
    select: selectMessage,
    ...ofKind('message'),
    staleTime: 5 * 60_000,
    retry: false,
  });

addOne('message', ([session, , quoted]) => session === 'session' && quoted === 'quoted');

/** A message that has changed or come: only chats that were opened need it. */
export function hearMessage(sessionId: string, message: Message): void {
  if (queryClient.getQueryCache().findAll({ queryKey: keys.messages(sessionId) }).length === 0) return;
  hear('message', { ...message, sessionId });
  // A message has no version, so what is being read may be older.
  readAgainIfUnderWay(keys.messages(sessionId));
}

const loadedOf = (sessionId: string): readonly ChatPage[] =>
  queryClient.getQueryData<ChatPart>(keys.messages(sessionId))?.pages ?? [];

/**
 * Whether the conversation needs attention although a person has taken it over: a held reply does until it is released
 * or dropped, a call of a tool until it is decided. Older messages that are not loaded may hold one, so attention ends
 * only when all were read.
 */
export function keepsAttention({ sessionId, needsAttention }: Session): boolean {
  const pages = loadedOf(sessionId);
  const isWhole = pages.at(-1)?.nextToken === null;
  return (
    needsAttention &&
    (!isWhole ||
      hasWaitingCall(sessionId) ||
      pages.some(({ items }) => things('message', items).some(({ held }) => held)))
  );
}

/** When the customer wrote last, as far as it is loaded. */
export const customerWroteAt = (sessionId: string): number | undefined =>
  loadedMessages(sessionId).find(isOfCustomer)?.timestamp;

/** Newest first. */
export const loadedMessages = (sessionId: string): readonly Message[] =>
  loadedOf(sessionId).flatMap(({ items }) => things('message', items));

export const isOfCustomer = ({ role }: Message) => role === 'user';

/** What the list shows of a message. */
export const previewOf = (message: Message): InboxSession['lastMessage'] => ({
  role: message.role,
  text: message.content.slice(0, 160),
  fileType: (message.attachments as { contentType: string }[])[0]?.contentType ?? null,
});
