/** The customers' side of the fake Bot API: what they do becomes updates, for polling or for the webhook. */
import { reachable } from './provider-http.ts';

export type Json = Record<string, unknown>;

interface Chat {
  isBlocked: boolean;
  messages: Set<number>;
}

export interface TelegramUpdates {
  /** Where the service listens, if that is not where its public address leads. */
  serviceUrl: string | null;
  chats: Map<number, Chat>;
  nextMessageId(chatId: number): number;
  setWebhook(params: Json | null): void;
  poll(params: Json): Promise<{ updates: Json[] } | { conflict: string }>;
  /** A text, or the fields of a message such as `{ photo: [...], caption: '...' }`. */
  customerWrites(
    content: string | Json,
    options?: { chatId?: number; name?: string; replyTo?: number; omitSender?: boolean },
  ): { messageId: number; providerMsgId: string };
  customerEdits(messageId: number, content: string | Json, chatId?: number): void;
  customerReacts(messageId: number, emoji: string | null, chatId?: number): void;
  customerBlocks(chatId?: number): void;
  customerUnblocks(chatId?: number): void;
  /** Keeps updates back until `release`. */
  hold(): void;
  release(order?: 'as written' | 'reversed'): void;
  /** All updates once more. */
  redeliver(): void;
  /** Posts a text to the webhook with another secret; returns the status of the answer. */
  deliverWithSecret(secret: string | null): Promise<number>;
  /** Resolves when the webhook accepted, or polling confirmed, everything. */
  settled(): Promise<void>;
  close(): void;
}

const retryGapMs = 50;
const withoutMark = ({ isRepeated: _, ...update }: Json): Json => update;

export function createUpdates(): TelegramUpdates {
  const chats = new Map<number, Chat>();
  const all: Json[] = [];
  let pending: Json[] = [];
  let held: Json[] | null = null;
  let webhook: { url: string; secret: string } | null = null;
  let updateId = 100;
  let isClosed = false;
  let isPosting = false;
  let poller: { wake: () => void; end: (conflict: string) => void } | null = null;
  let waiting: (() => void)[] = [];

  const chatOf = (id: number): Chat => {
    const known = chats.get(id) ?? { isBlocked: false, messages: new Set<number>() };
    chats.set(id, known);
    return known;
  };
  const nextMessageId = (chatId: number) => {
    const { messages } = chatOf(chatId);
    const id = messages.size + 1;
    messages.add(id);
    return id;
  };
  const settle = () => {
    if (pending.length > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  function announce(updates: Json[]): void {
    if (held) {
      held.push(...updates);
      return;
    }
    pending.push(...updates);
    poller?.wake();
    void postPending();
  }

  function add(content: Json): void {
    updateId += 1;
    const update = { update_id: updateId, ...content };
    all.push(update);
    announce([update]);
  }

  const post = (update: Json, secret: string | null): Promise<number> =>
    fetch(reachable(webhook!.url, updates.serviceUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret === null ? {} : { 'x-telegram-bot-api-secret-token': secret }),
      },
      body: JSON.stringify(withoutMark(update)),
    }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );

  /** One at a time, each until it is accepted. */
  async function postPending(): Promise<void> {
    if (isPosting) return;
    isPosting = true;
    while (webhook && pending.length > 0 && !isClosed) {
      const update = pending[0]!;
      const status = await post(update, webhook.secret);
      if (status >= 200 && status < 300) pending = pending.filter((one) => one !== update);
      else await new Promise((resolve) => setTimeout(resolve, retryGapMs));
      settle();
    }
    isPosting = false;
  }

  const sender = (chatId: number, name: string) => ({
    id: chatId,
    is_bot: false,
    first_name: name,
    language_code: 'en',
  });
  const seconds = () => Math.floor(Date.now() / 1000);
  const withText = (content: string | Json) => (typeof content === 'string' ? { text: content } : content);
  const membership = (chatId: number, isBlocked: boolean) => {
    chatOf(chatId).isBlocked = isBlocked;
    add({
      my_chat_member: {
        chat: { id: chatId, type: 'private', first_name: 'Ada' },
        from: sender(chatId, 'Ada'),
        date: seconds(),
        old_chat_member: { status: isBlocked ? 'member' : 'kicked' },
        new_chat_member: { status: isBlocked ? 'kicked' : 'member' },
      },
    });
  };

  const updates: TelegramUpdates = {
    serviceUrl: null,
    chats,
    nextMessageId,
    setWebhook(params) {
      webhook = params && { url: String(params.url), secret: String(params.secret_token) };
      if (webhook) poller?.end('terminated by setWebhook request');
      void postPending();
    },
    async poll(params) {
      if (webhook) return { conflict: "can't use getUpdates method while webhook is active" };
      poller?.end('terminated by other getUpdates request; make sure that only one bot instance is running');
      const offset = Number(params.offset ?? 0);
      pending = pending.filter((update) => Number(update.update_id) >= offset || update.isRepeated);
      settle();
      const take = () => {
        const updates = pending.slice(0, Number(params.limit ?? 100));
        // A repeated one is confirmed by its delivery, because its number is below the offset.
        pending = pending.filter((update) => !(update.isRepeated && updates.includes(update)));
        return { updates: updates.map(withoutMark) };
      };
      if (pending.length > 0 || Number(params.timeout ?? 0) === 0) return take();
      return new Promise((resolve) => {
        const timer = setTimeout(() => mine.wake(), Number(params.timeout) * 1000);
        const finish = (result: { updates: Json[] } | { conflict: string }) => {
          clearTimeout(timer);
          if (poller === mine) poller = null;
          resolve(result);
        };
        const mine = { wake: () => finish(take()), end: (conflict: string) => finish({ conflict }) };
        poller = mine;
      });
    },
    customerWrites(content, { chatId = 77, name = 'Ada', replyTo, omitSender = false } = {}) {
      const messageId = nextMessageId(chatId);
      add({
        message: {
          message_id: messageId,
          date: seconds(),
          chat: { id: chatId, type: 'private', first_name: name },
          ...(omitSender ? {} : { from: sender(chatId, name) }),
          ...(replyTo === undefined ? {} : { reply_to_message: { message_id: replyTo } }),
          ...withText(content),
        },
      });
      return { messageId, providerMsgId: `${chatId}:${messageId}` };
    },
    customerEdits(message_id, content, chatId = 77) {
      const chat = { id: chatId, type: 'private' };
      const from = sender(chatId, 'Ada');
      const times = { date: seconds(), edit_date: seconds() };
      add({ edited_message: { message_id, chat, from, ...times, ...withText(content) } });
    },
    customerReacts(message_id, emoji, chatId = 77) {
      const new_reaction = emoji === null ? [] : [{ type: 'emoji', emoji }];
      const chat = { id: chatId, type: 'private' };
      const user = sender(chatId, 'Ada');
      add({ message_reaction: { chat, user, message_id, date: seconds(), old_reaction: [], new_reaction } });
    },
    customerBlocks: (chatId = 77) => membership(chatId, true),
    customerUnblocks: (chatId = 77) => membership(chatId, false),
    hold() {
      held ??= [];
    },
    release(order = 'as written') {
      const updates = held ?? [];
      held = null;
      announce(order === 'reversed' ? updates.toReversed() : updates);
    },
    redeliver: () => announce(all.map((update) => ({ ...update, isRepeated: true }))),
    deliverWithSecret: (secret) => post({ update_id: 1, message: {} }, secret),
    settled: () =>
      pending.length === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    close() {
      isClosed = true;
      poller?.end('closed');
    },
  };
  return updates;
}
