/**
 * What a customer sees besides messages: that somebody writes, and that their message was read. Best effort: nothing waits
 * for it, and a failure is no news.
 */
import type { Db } from '../../../platform/db/db.ts';
import { findSession } from '../../sessions/sessions.ts';
import type { Links, OpenLink } from '../connectors.links.ts';
import type { Address } from '../connectors.provider.ts';
import { findLastReceived, selectIdentifiers } from './connectors.outbound.sql.ts';
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
  /** Null: no connector that is connected. */
  const placeOf = async (accountId: string, sessionId: string) => {
    const session = await findSession(db, accountId, sessionId);
    const opened = session && (await links.open(accountId, session.channelId));
    if (!session || !opened?.isConnected) return null;
    const identifiers = await selectIdentifiers(db, accountId, sessionId);
    return { opened, to: addressOf(opened, session, identifiers) };
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
      const begin = async () => {
        const place = await placeOf(accountId, sessionId);
        if (!place || isOver) return;
        const { opened, to } = place;
        const { provider, link } = opened;
        const last = await findLastReceived(db, accountId, sessionId);
        if (isOver) return;
        const type = () => void provider.typing?.(link, to, last).catch(ignore);
        type();
        if (provider.typing) timer = setInterval(type, provider.limits.typingMs ?? typingEveryMs);
        if (last !== null) await provider.markRead?.(link, to, last);
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
