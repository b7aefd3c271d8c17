/**
 * What a customer sees besides messages: that somebody writes, and that their message was read. Best effort: nothing waits
 * for it, and a failure is no news.
 */
import type { Db } from '../../../platform/db/db.ts';
import { findSession } from '../../sessions/sessions.ts';
import type { Links } from '../connectors.links.ts';
import { findLastReceived, findRecipient } from './connectors.recipient.sql.ts';
import { addressOf } from './connectors.send.ts';

export interface Signals {
  /** The AI has taken the customer's messages up: they are read, and it writes until the returned function is called. */
  thinking(accountId: string, sessionId: string): () => void;
  /** An operator has opened the conversation. */
  opened(accountId: string, sessionId: string): void;
}

/** Telegram shows it for five seconds. */
const typingEveryMs = 4_000;

export function createSignals({ db, links }: { db: Db; links: Links }): Signals {
  /** Null: no connector that is connected, or a blocked customer. */
  const placeOf = async (accountId: string, sessionId: string) => {
    const session = await findSession(db, accountId, sessionId);
    const opened = session && (await links.open(accountId, session.channelId));
    if (!session || !opened?.isConnected) return null;
    const [{ identifiers, isBlocked }, last] = await Promise.all([
      findRecipient(db, accountId, sessionId),
      findLastReceived(db, accountId, sessionId),
    ]);
    return isBlocked ? null : { opened, to: addressOf(opened, session, identifiers), last };
  };
  type Place = NonNullable<Awaited<ReturnType<typeof placeOf>>>;
  const markRead = async ({ opened: { provider, link }, to, last }: Place) => {
    if (last !== null) await provider.markRead?.(link, to, last);
  };
  const showTyping = async ({ opened: { provider, link }, to, last }: Place) => {
    await provider.typing?.(link, to, last);
  };
  const ignore = () => {};

  return {
    thinking(accountId, sessionId) {
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      const typeAgain = async () => {
        // Looked up each time: the customer may be blocked meanwhile.
        const place = await placeOf(accountId, sessionId);
        if (place && !isOver) await showTyping(place);
      };
      const begin = async () => {
        const place = await placeOf(accountId, sessionId);
        if (!place) return;
        const { typing, limits } = place.opened.provider;
        if (typing && !isOver) {
          timer = setInterval(() => void typeAgain().catch(ignore), limits.typingMs ?? typingEveryMs);
          void showTyping(place).catch(ignore);
        }
        // Also after a quick reply.
        await markRead(place);
      };
      void begin().catch(ignore);
      return () => {
        isOver = true;
        clearInterval(timer);
      };
    },
    opened(accountId, sessionId) {
      const run = async () => {
        const place = await placeOf(accountId, sessionId);
        if (place) await markRead(place);
      };
      void run().catch(ignore);
    },
  };
}
