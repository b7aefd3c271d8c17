/**
 * The one way into a conversation for everything that writes to it: the lock that gives its messages one order, and
 * the block list, asked under a lock that a block waits for. Whoever is blocked gets no further than this.
 */
import type { Tx } from '../../platform/db.ts';
import { AppError, contactBlocked } from '../../platform/errors.ts';
import { contactKey } from '../blocked-contacts/blocked-contacts.ts';
import { openSessionRow, type SessionState } from './sessions.sql.ts';

/** Carries which entry of the list it was, for counting. */
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
  /** The key that a new conversation of this caller is kept under. */
  contactKey: string;
  /** Throws unless the customer may be written to and may write. Notes are possible all the same. */
  requireNotBlocked(): void;
  isBlocked(): boolean;
}

export async function openSession(
  tx: Tx,
  accountId: string,
  sessionId: string,
  externalUserId: string | null = null,
): Promise<OpenedSession> {
  const requestKey = externalUserId === null ? null : contactKey(externalUserId);
  const sessionKey = contactKey(sessionId);
  const { state, blockedKey } = await openSessionRow(tx, accountId, sessionId, {
    request: requestKey,
    session: sessionKey,
  });
  return {
    state,
    contactKey: requestKey ?? sessionKey,
    isBlocked: () => blockedKey !== null,
    requireNotBlocked() {
      if (blockedKey !== null) throw new ContactBlocked(blockedKey);
    },
  };
}
