/**
 * What a customer sees besides messages: that somebody writes, and that their message was read. Best effort: nothing waits
 * for it, and a failure is no news.
 */
import type { Db } from '../../../platform/db/db.ts';
import { findSession } from '../../sessions/sessions.ts';
import type { Links, OpenLink } from '../connectors.links.ts';
import type { Address } from '../connectors.provider.ts';
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
    const { identifiers, isBlocked } = await findRecipient(db, accountId, sessionId);
    return isBlocked ? null : { opened, to: addressOf(opened, session, identifiers) };
  };
  const markRead = async (
    accountId: string,
    sessionId: string,
    { provider, link }: OpenLink,
    to: Address,
  ) => {
    const providerMsgId = provider.markRead && (await findLastReceived(db, accountId, sessionId));
    if (providerMsgId) await provider.markRead!(link, to, providerMsgId);
  };
  const ignore = () => {};

  return {
    thinking(accountId, sessionId) {
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      const type = async () => {
        // Looked up each time: the customer may be blocked meanwhile.
        const place = await placeOf(accountId, sessionId);
        if (!place || isOver) return null;
        void place.opened.provider.typing?.(place.opened.link, place.to).catch(ignore);
        return place;
      };
      const begin = async () => {
        const place = await type();
        if (!place || isOver) return;
        const { opened, to } = place;
        if (opened.provider.typing) timer = setInterval(() => void type().catch(ignore), typingEveryMs);
        await markRead(accountId, sessionId, opened, to);
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
        if (place) await markRead(accountId, sessionId, place.opened, place.to);
      };
      void run().catch(ignore);
    },
  };
}
