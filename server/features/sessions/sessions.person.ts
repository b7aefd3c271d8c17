/** What a customer does to the conversation besides writing: asks for a person, says who they are, rates it. */
import { type LanguageName, languages } from '../../../contract/limits.ts';
import type { Tx } from '../../platform/db/db.ts';
import { emitFrozen } from '../../platform/events/outbox.ts';
import { suppressReplies } from '../pending-replies/pending-replies.ts';
import { changeLifecycle, customer, pauseEvent, sessionUpdated } from './sessions.lifecycle.ts';
import {
  insertAiPause,
  insertSessionChange,
  type SessionChange,
  type SessionState,
  updateSession,
} from './sessions.sql.ts';

/**
 * Of a conversation that is open for writing. The AI is paused, the conversation opened if it was snoozed or resolved,
 * and it needs attention, all in one update: operators get one notification. False: people answer already, or the
 * customer has asked before.
 */
export async function requestPerson(
  tx: Tx,
  accountId: string,
  now: number,
  state: SessionState,
): Promise<boolean> {
  if (state.aiPaused && state.status === 'open') return false;
  const opened = changeLifecycle(state, now, customer, { status: 'open' });
  const sequence = state.eventSequence + 1;
  const requested = { field: 'personRequested', oldValue: false, newValue: true };
  const change: SessionChange = {
    sequence,
    at: now,
    changedBy: customer,
    changes: [...(opened.change?.changes ?? []), requested],
  };
  const after: SessionState = {
    ...opened.state,
    aiPaused: true,
    needsAttention: true,
    updatedAt: now,
    eventSequence: state.aiPaused ? sequence : sequence + 1,
  };
  await updateSession(tx, accountId, after);
  await tx.query(insertSessionChange(accountId, state.sessionId, change));
  await emitFrozen(tx, sessionUpdated(accountId, after, change));
  if (state.aiPaused) return true;
  await tx.query(insertAiPause(accountId, after, false));
  await suppressReplies(tx, accountId, state.sessionId, 'AI paused', now);
  await emitFrozen(tx, pauseEvent(accountId, after, 'customer'));
  return true;
}

/**
 * Of a conversation that is open for writing. A name replaces none but the one that the service made up: an operator may
 * have given another since. The address is stored in lower case, as the search compares it.
 */
export async function storeCustomer(
  tx: Tx,
  accountId: string,
  now: number,
  state: SessionState,
  { name, email }: { name: string | null; email: string | null },
): Promise<void> {
  const { sessionName, sessionId } = state;
  const isMadeUp =
    sessionName === null || languages.some((language) => visitorName(language, sessionId) === sessionName);
  const after: SessionState = {
    ...state,
    sessionName: name !== null && isMadeUp ? name : sessionName,
    customerEmail: email,
    updatedAt: now,
  };
  await updateSession(tx, accountId, after);
}

const visitor: { [language in LanguageName]: string } = { en: 'Visitor', pt: 'Visitante', es: 'Visitante' };

/** Names a customer of whom only a generated id is known. */
export function visitorName(language: LanguageName, sessionId: string): string {
  return `${visitor[language]} ${sessionId.slice(-4).toUpperCase()}`;
}

/** An entry in the history of what the customer said about the conversation. Its row changes so that readers see it. */
export async function recordRating(
  tx: Tx,
  accountId: string,
  now: number,
  state: SessionState,
  { changedBy, changes }: Pick<SessionChange, 'changedBy' | 'changes'>,
): Promise<SessionState> {
  const after = { ...state, updatedAt: now, eventSequence: state.eventSequence + 1 };
  await updateSession(tx, accountId, after);
  const change = { sequence: after.eventSequence, at: now, changedBy, changes };
  await tx.query(insertSessionChange(accountId, state.sessionId, change));
  return after;
}
