/** Resolving, reopening, snoozing, labelling and marking as read: of one or many, shown at once, put back when refused, undoable. */
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { LabelChange } from '../../../../contract/labels.ts';
import { limits } from '../../../../contract/limits.ts';
import type {
  BulkSessionResult,
  SessionMarks,
  SessionsBulk,
  SessionsBulkAnswer,
} from '../../../../contract/messaging/lifecycle.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { labelsAfter } from '../../labels/label-data.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { findSession, keepsAttention, newest, placeSession, placeValues } from '../data/inbox-cache.ts';
import { changesKey } from '../data/inbox-data.ts';

export type Triage = 'resolve' | 'reopen' | 'snooze' | 'read';
type Change = SessionsBulk['change'];

const changeOf = (kind: Triage, snoozedUntil: number | null): Change => {
  if (kind === 'read') return { unread: 0 };
  if (kind === 'snooze') return { status: 'snoozed', snoozedUntil };
  return { status: kind === 'resolve' ? 'resolved' : 'open' };
};

/** Those that the change would leave as they are are left out; returns the others. */
export function affected(kind: Triage, sessions: readonly InboxSession[]): InboxSession[] {
  if (kind === 'read') return sessions.filter(({ unread }) => unread > 0);
  if (kind === 'snooze') return [...sessions];
  const status = changeOf(kind, null).status;
  return sessions.filter((session) => session.status !== status);
}

export async function triage(
  kind: Triage,
  sessions: readonly InboxSession[],
  snoozedUntil: number | null = null,
): Promise<void> {
  await changeAll(affected(kind, sessions), changeOf(kind, snoozedUntil), (count) =>
    tn(`lifecycle.done.${kind}`, count),
  );
}

/** The labels of one or many. False: some were refused. */
export const labelSessions = (sessions: readonly InboxSession[], change: LabelChange): Promise<boolean> =>
  changeAll(sessions, change, (count) => tn('lifecycle.done.label', count));

/** False: some were refused, and are as before. */
async function changeAll(
  before: readonly InboxSession[],
  change: Change,
  doneText: (count: number) => string,
): Promise<boolean> {
  if (before.length === 0) return true;
  for (const session of before) placeValues(session, shownAs(newest(session), change));
  const again = () => void changeAll(before, change, doneText);
  const ids = before.map(({ sessionId }) => sessionId);
  const results = await send(ids, change, before, again);
  if (!results) return false;
  const changed = results.filter((result) => result.changed);
  if (changed.length > 0) toast.undo(doneText(changed.length), () => void undo(changed));
  return results.length === before.length && results.every(({ status }) => status === 200);
}

function shownAs(session: InboxSession, change: Change): Partial<InboxSession> {
  const { addLabelIds: _added, removeLabelIds: _removed, ...marks } = change;
  const isResolved = change.status === 'resolved';
  return {
    ...marks,
    labelIds: labelsAfter(session.labelIds, change),
    snoozedUntil: change.status === undefined ? session.snoozedUntil : (change.snoozedUntil ?? null),
    unread: isResolved ? 0 : (change.unread ?? session.unread),
    needsAttention: isResolved ? keepsAttention(session) : (change.needsAttention ?? session.needsAttention),
  };
}

/** Takes the responses over, and puts back what was refused. Null: the request failed. */
async function send(
  sessionIds: readonly string[],
  change: Change,
  before: readonly InboxSession[],
  again: () => void,
  expected?: Change,
): Promise<BulkSessionResult[] | null> {
  const results: BulkSessionResult[] = [];
  try {
    for (let at = 0; at < sessionIds.length; at += limits.batchItems) {
      const ids = sessionIds.slice(at, at + limits.batchItems);
      const body: SessionsBulk = { sessionIds: ids, change, ...(expected && { expected }) };
      const answer = await api<SessionsBulkAnswer>('POST', '/sessions/bulk', { body });
      results.push(...answer.results);
    }
  } catch (error) {
    const done = new Set(results.map(({ sessionId }) => sessionId));
    putBack(before.filter(({ sessionId }) => !done.has(sessionId)));
    toast.failed(t('lifecycle.failed'), error, again);
    if (results.length === 0) return null;
  }
  for (const { sessionId, session } of results) {
    if (session) placeSession(session);
    void refresh(changesKey(sessionId));
  }
  const refused = results.filter(({ status }) => status !== 200);
  if (refused.length > 0) {
    const ids = new Set(refused.map(({ sessionId }) => sessionId));
    putBack(before.filter(({ sessionId }) => ids.has(sessionId)));
    const { status, code = '', message = '' } = refused[0]!;
    toast.failed(tn('lifecycle.someFailed', refused.length), new ApiError(status, code, message, ''));
  }
  return results;
}

/** Only these values: other changes may have arrived since. */
function putBack(before: readonly InboxSession[]): void {
  for (const session of before) {
    const { status, snoozedUntil, unread, needsAttention, labelIds } = session;
    placeValues(session, { status, snoozedUntil, unread, needsAttention, labelIds });
  }
}

/**
 * Exactly what each was before, in as few requests as there are different changes. A conversation that has changed since,
 * because its customer wrote, stays as it is.
 */
async function undo(results: readonly BulkSessionResult[]): Promise<void> {
  const steps = results.map((result) => ({ sessionId: result.sessionId, ...stepBack(result) }));
  const groups = Map.groupBy(steps, ({ change, expected }) => JSON.stringify([change, expected]));
  for (const group of groups.values()) {
    const { change, expected } = group[0]!;
    const ids = group.map(({ sessionId }) => sessionId);
    const before = ids.flatMap((id) => findSession(id) ?? []);
    for (const session of before) placeValues(session, shownAs(session, change));
    const left = results.filter(({ sessionId }) => ids.includes(sessionId));
    await send(ids, change, before, () => void undo(left), expected);
  }
}

function stepBack({ session, previous }: BulkSessionResult): { change: Change; expected: Change } {
  const change: Change = {};
  const expected: Change = {};
  for (const name of Object.keys(previous!) as (keyof SessionMarks)[]) {
    if (String(previous![name]) === String(session![name])) continue;
    Object.assign(change, { [name]: previous![name] });
    Object.assign(expected, { [name]: session![name] });
  }
  // A snooze whose time has passed meanwhile would have ended.
  const isOver = change.snoozedUntil && change.snoozedUntil <= Date.now();
  return { change: isOver ? { ...change, status: 'open', snoozedUntil: null } : change, expected };
}
