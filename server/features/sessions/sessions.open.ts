/**
 * The only way to open a conversation for writing: the lock that gives its messages one order, and the block list,
 * checked under a lock that a block waits for. Blocked contacts get no further than this.
 */
import type { Tx } from '../../platform/db/db.ts';
import { AppError, contactBlocked } from '../../platform/http/errors.ts';
import { contactKey } from '../blocked-contacts/blocked-contacts.ts';
import {
  type ContactKeys,
  type OpenedRow,
  openFreeSessionRows,
  openSessionRow,
  type SessionState,
} from './sessions.sql.ts';

/** Carries the matching entry of the list, for counting. */
export class ContactBlocked extends AppError {
  readonly contactKey: string;

  constructor(key: string) {
    const { status, code, message } = contactBlocked();
    super(status, code, message);
    this.contactKey = key;
  }
}

export interface OpenedSession {
  state: SessionState | null;
  /** The key that a new conversation of this caller gets. */
  contactKey: string;
  /** Throws unless the customer may write and be written to. Notes are allowed anyway. */
  requireNotBlocked(): void;
  isBlocked(): boolean;
}

export async function openSession(
  tx: Tx,
  accountId: string,
  sessionId: string,
  externalUserId: string | null = null,
): Promise<OpenedSession> {
  const keys = keysOf(sessionId, externalUserId);
  return toOpenedSession(keys, await openSessionRow(tx, accountId, sessionId, keys));
}

/** Null for each that is locked by others, or that was requested twice: it never waits. */
export async function openFreeSessions(
  tx: Tx,
  accountId: string,
  wanted: readonly { sessionId: string; externalUserId?: string }[],
): Promise<(OpenedSession | null)[]> {
  const asked = wanted.map(({ sessionId, externalUserId = null }) => ({
    sessionId,
    keys: keysOf(sessionId, externalUserId),
  }));
  const opened = new Set<string>();
  return (await openFreeSessionRows(tx, accountId, asked)).map((row, index) => {
    const { sessionId, keys } = asked[index]!;
    if (row === null || opened.has(sessionId)) return null;
    opened.add(sessionId);
    return toOpenedSession(keys, row);
  });
}

function keysOf(sessionId: string, externalUserId: string | null): ContactKeys {
  return {
    request: externalUserId === null ? null : contactKey(externalUserId),
    session: contactKey(sessionId),
  };
}

function toOpenedSession(keys: ContactKeys, { state, blockedKey }: OpenedRow): OpenedSession {
  return {
    state,
    contactKey: keys.request ?? keys.session,
    isBlocked: () => blockedKey !== null,
    requireNotBlocked() {
      if (blockedKey !== null) throw new ContactBlocked(blockedKey);
    },
  };
}
