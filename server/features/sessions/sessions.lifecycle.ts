/**
 * The status, the owner and the labels of a conversation. Each change is written with its entry in the conversation's history and
 * its `session_updated` event.
 */
import type { SessionChanger, SessionStatus } from '../../../contract/messaging/sessions.ts';
import type { Tx } from '../../platform/db/db.ts';
import { emitAllFrozen, emitFrozen, type FrozenEvent, freeze } from '../../platform/events/outbox.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { Actor } from '../accounts/accounts.ts';
import { insertSessionChanges, updateSessionMarks } from './sessions.bulk.sql.ts';
import { insertSessionChange, noteAssigned, type SessionChange, type SessionState } from './sessions.sql.ts';

/** What is left out stays as it is. */
export interface LifecycleChange {
  status?: SessionStatus;
  snoozedUntil?: number | null;
  assignedUserId?: string | null;
  teamId?: string | null;
  /** Known labels, sorted; the stored list itself if they stay the same. */
  labelIds?: string[];
}

export interface ChangedSession {
  state: SessionState;
  /** Null: everything was like this already. */
  change: SessionChange | null;
}

/** Of a conversation that begins. */
export const newLifecycle = {
  status: 'open',
  snoozedUntil: null,
  statusChangedAt: null,
  statusChangedBy: null,
  assignedUserId: null,
  teamId: null,
  labelIds: [] as string[],
} as const;

export const customer: SessionChanger = { type: 'customer', id: null, name: null };
export const system: SessionChanger = { type: 'system', id: null, name: null };

export function changerOf(actor: Actor): SessionChanger {
  return actor.kind === 'system' ? system : { type: actor.kind, id: actor.id, name: actor.name };
}

/** Decides; writes nothing. */
export function changeLifecycle(
  state: SessionState,
  now: number,
  changedBy: SessionChanger,
  wanted: LifecycleChange,
): ChangedSession {
  const status = wanted.status ?? state.status;
  const { assignedUserId = state.assignedUserId, teamId = state.teamId, labelIds = state.labelIds } = wanted;
  const after = {
    status,
    snoozedUntil: snoozedUntilOf(state, now, wanted),
    assignedUserId,
    teamId,
    labelIds,
  };
  const fields = ['status', 'snoozedUntil', 'assignedUserId', 'teamId', 'labelIds'] as const;
  const changes = fields
    .filter((field) => state[field] !== after[field])
    .map((field) => ({ field, oldValue: state[field], newValue: after[field] }));
  if (changes.length === 0) return { state, change: null };
  const sequence = state.eventSequence + 1;
  const isNewStatus = state.status !== status || state.snoozedUntil !== after.snoozedUntil;
  return {
    state: {
      ...state,
      ...after,
      ...(isNewStatus && { statusChangedAt: now, statusChangedBy: changedBy }),
      updatedAt: now,
      eventSequence: sequence,
    },
    change: { sequence, at: now, changedBy, changes },
  };
}

function snoozedUntilOf(
  state: SessionState,
  now: number,
  { status, snoozedUntil }: LifecycleChange,
): number | null {
  const isSnoozed = (status ?? state.status) === 'snoozed';
  if (!isSnoozed) {
    if (snoozedUntil) throw badRequest('snoozedUntil requires status snoozed');
    return null;
  }
  if (snoozedUntil === undefined) return status === undefined ? state.snoozedUntil : null;
  if (snoozedUntil !== null && snoozedUntil <= now) throw badRequest('snoozedUntil must be in the future');
  return snoozedUntil;
}

export function sessionUpdated(
  accountId: string,
  { sessionId, channelId, kanbanId, status, snoozedUntil, assignedUserId, teamId, labelIds }: SessionState,
  { sequence, at, changedBy, changes }: SessionChange,
): FrozenEvent {
  return freeze({
    event: 'session_updated',
    accountId,
    subjectId: sessionId,
    sequence,
    kanbanId,
    fieldId: null,
    data: {
      sessionId,
      channelId,
      status,
      snoozedUntil,
      assignedUserId,
      teamId,
      labelIds,
      changes,
      changedBy: changedBy.id ?? changedBy.type,
    },
    timestamp: at,
  });
}

/** Writes the entry and its event, and notifies a new owner. The conversation's row is written by the caller. */
export async function recordChange(
  tx: Tx,
  accountId: string,
  { state, change }: ChangedSession,
): Promise<void> {
  if (!change) return;
  await tx.query(insertSessionChange(accountId, state.sessionId, change));
  await emitFrozen(tx, sessionUpdated(accountId, state, change));
  await noteAssigned(tx, accountId, newOwners([{ state, change }]));
}

/** Of many conversations: their rows, with their history and their events. */
export async function writeChanges(
  tx: Tx,
  accountId: string,
  changed: readonly ChangedSession[],
): Promise<void> {
  if (changed.length === 0) return;
  await updateSessionMarks(
    tx,
    accountId,
    changed.map(({ state }) => state),
  );
  const entries = changed.flatMap(({ state, change }) => (change ? { state, change } : []));
  if (entries.length === 0) return;
  await insertSessionChanges(
    tx,
    accountId,
    entries.map(({ state, change }) => ({ sessionId: state.sessionId, ...change })),
  );
  await emitAllFrozen(
    tx,
    entries.map(({ state, change }) => sessionUpdated(accountId, state, change)),
  );
  await noteAssigned(tx, accountId, newOwners(entries));
}

/** Those who did not do it themselves. */
function newOwners(
  changed: readonly { state: SessionState; change: SessionChange }[],
): { sessionId: string; userId: string }[] {
  return changed.flatMap(({ state: { sessionId }, change: { changes, changedBy } }) => {
    const userId = changes.find(({ field }) => field === 'assignedUserId')?.newValue;
    return typeof userId === 'string' && userId !== changedBy.id ? { sessionId, userId } : [];
  });
}

/** Of a conversation whose pause was just changed. */
export function pauseEvent(
  accountId: string,
  { sessionId, channelId, kanbanId, aiPaused, eventSequence, updatedAt }: SessionState,
  changedBy: string,
): FrozenEvent {
  return freeze({
    event: 'ai_pause',
    accountId,
    subjectId: sessionId,
    sequence: eventSequence,
    kanbanId,
    fieldId: null,
    data: { sessionId, channelId, aiPaused, changedBy },
    timestamp: updatedAt,
  });
}
