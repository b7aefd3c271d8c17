/**
 * The only way to open a conversation for writing: the lock that gives its messages one order, and the block list,
 * checked under a lock that a block waits for. Blocked contacts get no further than this.
 */
import type { Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import {
  blockKey,
  contactKey,
  type Identifier,
  identifierKey,
} from '../blocked-contacts/blocked-contacts.ts';
import {
  type CustomerKeys,
  type OpenedRow,
  openFreeSessionRows,
  openSessionRow,
} from './sessions.open.sql.ts';
import type { SessionState } from './sessions.sql.ts';

/** Carries the matching entry of the list, for counting. */
export class ContactBlocked extends AppError {
  readonly contactKey: string;

  constructor(key: string) {
    super(403, 'CONTACT_BLOCKED', 'this contact is blocked and cannot be messaged');
    this.contactKey = key;
  }
}

/** Who a request says that the customer is. */
export interface RequestCustomer {
  /** The customer's id in the request; null: only the identifiers are known. */
  externalUserId: string | null;
  identifiers: readonly Identifier[];
  /** A provider sent the identifiers together: they are one person's. */
  isTold?: boolean;
  /** Identifiers that no contact has will be added to one. */
  creates?: boolean;
  /** Keys of the block list under which an erased person with these identifiers is found. */
  erasedKeys?: readonly string[];
}

export interface OpenedSession {
  state: SessionState | null;
  /** The key that a new conversation of this caller gets. */
  contactKey: string;
  /** By the key of the identifier: the contacts of the request's identifiers, unless the conversation shows them. */
  contacts: ReadonlyMap<string, string>;
  /**
   * In a batch, for a customer that a provider sent: the name of the conversation's contact. Null: a person has chosen
   * it, so no provider changes it.
   */
  contactName?: { text: string | null } | null;
  /** Throws unless the customer may write and be written to. Notes are allowed anyway. */
  requireNotBlocked(): void;
  isBlocked(): boolean;
}

export async function openSession(
  tx: Tx,
  accountId: string,
  sessionId: string,
  customer: RequestCustomer | null = null,
): Promise<OpenedSession> {
  const keys = keysOf(sessionId, customer);
  return toOpenedSession(keys, await openSessionRow(tx, accountId, sessionId, keys));
}

/** A visitor of the web chat: known by the id that the site has signed, otherwise by their conversation. */
export async function openVisitorSession(
  tx: Tx,
  visitor: { accountId: string; channelId: string; sessionId: string; userId: string | null },
): Promise<OpenedSession> {
  const { accountId, channelId, sessionId, userId } = visitor;
  const value = contactKey(userId ?? sessionId);
  const identifiers = [{ kind: 'web', value, channelId } as const];
  return openSession(tx, accountId, sessionId, { externalUserId: userId ?? sessionId, identifiers });
}

/** Null for each that is locked by others, or that was requested twice: it never waits. */
export async function openFreeSessions(
  tx: Tx,
  accountId: string,
  wanted: readonly { sessionId: string; customer?: RequestCustomer | null }[],
): Promise<(OpenedSession | null)[]> {
  const asked = wanted.map(({ sessionId, customer = null }) => ({
    sessionId,
    keys: keysOf(sessionId, customer),
  }));
  const opened = new Set<string>();
  return (await openFreeSessionRows(tx, accountId, asked)).map((row, index) => {
    const { sessionId, keys } = asked[index]!;
    if (row === null || opened.has(sessionId)) return null;
    opened.add(sessionId);
    return toOpenedSession(keys, row);
  });
}

function keysOf(sessionId: string, customer: RequestCustomer | null): CustomerKeys {
  const { externalUserId = null, identifiers = [], isTold = false, creates = false } = customer ?? {};
  const { erasedKeys = [] } = customer ?? {};
  const request = externalUserId === null ? null : contactKey(externalUserId);
  const values = identifiers.map(({ value }) => value);
  return {
    request,
    session: contactKey(sessionId),
    values: request === null || values.includes(request) ? values : [...values, request],
    asked: [...identifiers.map(({ kind, value }) => blockKey(kind, value)), ...erasedKeys],
    identifiers: identifiers.map(identifierKey),
    isTold,
    creates,
  };
}

function toOpenedSession(keys: CustomerKeys, row: OpenedRow): OpenedSession {
  const { state, blockedKey, contacts, contactName } = row;
  return {
    state,
    ...(contactName !== undefined && { contactName }),
    contactKey: keys.request ?? keys.session,
    contacts,
    isBlocked: () => blockedKey !== null,
    requireNotBlocked() {
      if (blockedKey !== null) throw new ContactBlocked(blockedKey);
    },
  };
}
