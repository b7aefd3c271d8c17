/**
 * Passes changes of a conversation to the widgets that show it. One subscription to the account's live feed serves
 * all of its visitors; the conversation decides whom a change concerns.
 */
import type { Message } from '../../../contract/messaging/messages.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import type { VisitorServerFrame } from '../../../contract/widget/widget-protocol.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Logger } from '../../platform/logger.ts';
import type { AccountConfigCache } from '../channels/channels.ts';
import { customerMayRead } from '../messages/messages.ts';
import { type AgentNames, toVisitorMessage, toVisitorState } from './widget-api.view.ts';

interface LiveChange {
  readonly type: string;
  readonly sessionId: string | null;
  readonly data: unknown;
}

export interface LiveTyping {
  accountId: string;
  kanbanId: string;
  from: string | null;
  type: 'typing';
  data: { sessionId: string; person: { id: string; name: string } | null; isTyping: boolean };
}

/** The part of `realtime` that is used here: app.ts passes it in. */
export interface LiveFeed {
  subscribe(subscriber: {
    readonly accountId: string;
    readonly needsDefinitions: false;
    define(): void;
    deliver(change: LiveChange): void;
    signal(signal: { type: string; data: unknown }): void;
    reload(): void;
  }): Promise<() => void>;
  signal(signal: LiveTyping): Promise<void>;
}

export interface Listener {
  readonly accountId: string;
  readonly sessionId: string;
  tell(frame: VisitorServerFrame): void;
  /** Changes sent so far may have gaps: reconnect. */
  restart(): void;
}

interface Account {
  listeners: Map<string, Set<Listener>>;
  agents: Promise<AgentNames>;
  names: AgentNames;
  ready: Promise<() => void>;
}

export interface VisitorFeed {
  /** From here on the listener receives everything. */
  add(listener: Listener): Promise<void>;
  remove(listener: Listener): void;
  agentsOf(accountId: string): Promise<AgentNames>;
  typing(typing: LiveTyping): Promise<void>;
}

export interface FeedDeps {
  db: Db;
  logger: Logger;
  accountConfig: AccountConfigCache;
}

export function createVisitorFeed(live: LiveFeed, deps: FeedDeps): VisitorFeed {
  const accounts = new Map<string, Account>();

  const readAgents = async (accountId: string): Promise<AgentNames> => {
    const { directory } = await deps.accountConfig.fresh(accountId);
    return new Map([...directory.agents.values()].map(({ id, name }) => [id, name]));
  };

  const deliver = (account: Account, change: LiveChange): void => {
    const listeners = change.sessionId === null ? undefined : account.listeners.get(change.sessionId);
    if (!listeners) return;
    const tell = (frame: VisitorServerFrame) => {
      for (const listener of listeners) listener.tell(frame);
    };
    const { message, position, session } = change.data as {
      message?: Message;
      position?: number;
      session?: Session;
    };
    if (message && customerMayRead(message)) {
      tell({
        type: 'message',
        message: toVisitorMessage({ ...message, position: position! }, account.names),
      });
    }
    if (session) tell({ type: 'state', state: toVisitorState(session, account.names, session.agentId) });
  };

  const open = (accountId: string): Account => {
    const account: Account = {
      listeners: new Map(),
      names: new Map(),
      agents: readAgents(accountId),
      ready: Promise.resolve(() => {}),
    };
    const keepNames = (names: AgentNames) => {
      account.names = names;
    };
    account.agents.then(keepNames, () => {});
    account.ready = live.subscribe({
      accountId,
      needsDefinitions: false,
      define: () => {},
      deliver: (change) => {
        if (change.type === 'definitions.updated') readAgents(accountId).then(keepNames, () => {});
        else deliver(account, change);
      },
      signal: ({ type, data }) => {
        if (type !== 'typing') return;
        const { sessionId, person, isTyping } = data as LiveTyping['data'];
        // The customer's own typing comes back here too.
        if (!person) return;
        for (const listener of account.listeners.get(sessionId) ?? []) {
          listener.tell({ type: 'typing', name: person.name, isTyping });
        }
      },
      reload: () => {
        for (const listeners of account.listeners.values()) for (const one of [...listeners]) one.restart();
      },
    });
    accounts.set(accountId, account);
    return account;
  };

  const close = (accountId: string, account: Account): void => {
    if (accounts.get(accountId) === account) accounts.delete(accountId);
    account.ready.then(
      (leave) => leave(),
      () => {},
    );
  };

  return {
    async add(listener) {
      const { accountId, sessionId } = listener;
      const account = accounts.get(accountId) ?? open(accountId);
      const others = account.listeners.get(sessionId) ?? new Set();
      account.listeners.set(sessionId, others.add(listener));
      try {
        await Promise.all([account.ready, account.agents]);
      } catch (error) {
        // The next one tries again.
        close(accountId, account);
        throw error;
      }
    },
    remove(listener) {
      const { accountId, sessionId } = listener;
      const account = accounts.get(accountId);
      const listeners = account?.listeners.get(sessionId);
      if (!account || !listeners?.delete(listener) || listeners.size > 0) return;
      account.listeners.delete(sessionId);
      if (account.listeners.size === 0) close(accountId, account);
    },
    agentsOf: (accountId) => {
      const account = accounts.get(accountId);
      return account ? account.agents.then(() => account.names) : readAgents(accountId);
    },
    typing: (typing) => live.signal(typing),
  };
}
