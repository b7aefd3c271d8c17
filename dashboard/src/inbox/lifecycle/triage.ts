/** Resolving, reopening, snoozing, labelling and marking as read: of one or many, shown at once, taken back when refused, undoable. */
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { LabelChange } from '../../../../contract/labels.ts';
import { limits } from '../../../../contract/limits.ts';
import type {
  BulkSessionResult,
  SessionMarks,
  SessionsBulk,
  SessionsBulkAnswer,
} from '../../../../contract/messaging/lifecycle.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { isDone, startChange } from '../../data/store/changes.ts';
import { hear } from '../../data/store/entities.ts';
import { sendTogether } from '../../data/store/send-together.ts';
import { labelsAfter } from '../../labels/label-data.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { newest } from '../data/inbox-actions.ts';
import { changesKey } from '../data/inbox-data.ts';
import { keepsAttention } from '../data/message-data.ts';

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
  await changeAll(affected(kind, sessions), changeOf(kind, snoozedUntil), {
    doneText: (count) => tn(`lifecycle.done.${kind}`, count),
  });
}

/** The labels of one or many. False: some were refused or left. */
export const labelSessions = (sessions: readonly InboxSession[], change: LabelChange): Promise<boolean> =>
  changeAll(sessions, change, { doneText: (count) => tn('lifecycle.done.label', count) });

interface Options {
  /** Only those that have these values now. */
  expected?: Change;
  /** With Undo after success. */
  doneText?(count: number): string;
}

/** False: some were refused or left, and are as before. */
async function changeAll(
  sessions: readonly Session[],
  change: Change,
  { expected, doneText }: Options,
): Promise<boolean> {
  const request = (sessionIds: readonly string[]) => {
    const body: SessionsBulk = { sessionIds: [...sessionIds], change, ...(expected && { expected }) };
    return { method: 'POST', path: '/sessions/bulk', body } as const;
  };
  const send = sendTogether<string, BulkSessionResult>(limits.batchItems, async (ids, person) => {
    const { method, path, body } = request(ids);
    const { results } = await api<SessionsBulkAnswer>(method, path, { body, person });
    for (const { session } of results) if (session) hear('session', session);
    return results;
  });
  const running = sessions.map((session) => {
    const { sessionId: id } = session;
    const update = shownAs(newest(session), change);
    // Another page sends it alone: then the answer is the conversation, and a rejection is one.
    const alone = { method: 'PATCH', path: `/sessions/${encodeURIComponent(id)}`, body: change } as const;
    return startChange<BulkSessionResult>(
      {
        request: expected ? request([id]) : alone,
        edits: [{ kind: 'session', id, update }],
        failed: t('lifecycle.failed'),
      },
      { send: () => send(id) },
    );
  });
  const outcomes = await Promise.all(running.map(({ ended }) => ended));
  const failed = sessions.filter((_, index) => outcomes[index]!.error);
  if (failed.length > 0) {
    const again = () => void changeAll(failed, change, { expected, doneText });
    toast.failed(t('lifecycle.failed'), outcomes.find(({ error }) => error)!.error, again);
  }
  const results = outcomes.flatMap(({ answer }) => answer ?? []);
  for (const { sessionId } of results) void refresh(changesKey(sessionId));
  const refused = results.filter(({ status }) => status !== 200);
  if (refused.length > 0) {
    const { status, code = '', message = '' } = refused[0]!;
    toast.failed(tn('lifecycle.someFailed', refused.length), new ApiError(status, code, message, ''));
  }
  const changed = results.filter((result) => result.changed);
  if (doneText && changed.length > 0) toast.undo(doneText(changed.length), () => void undo(changed));
  return refused.length === 0 && outcomes.every(isDone);
}

function shownAs(session: Session, change: Change): Partial<InboxSession> {
  const { addLabelIds, removeLabelIds, ...marks } = change;
  return {
    ...marks,
    ...((addLabelIds || removeLabelIds) && { labelIds: labelsAfter(session.labelIds, change) }),
    ...(change.status && { snoozedUntil: change.snoozedUntil ?? null }),
    ...(change.status === 'resolved' && { unread: 0, needsAttention: keepsAttention(session) }),
  };
}

/**
 * Exactly what each was before, in as few requests as there are different changes. A conversation that has changed since,
 * because its customer wrote, stays as it is.
 */
async function undo(results: readonly BulkSessionResult[]): Promise<void> {
  const steps = results.map((result) => ({ session: result.session!, ...stepBack(result) }));
  const groups = Map.groupBy(steps, ({ change, expected }) => JSON.stringify([change, expected]));
  for (const group of groups.values()) {
    const { change, expected } = group[0]!;
    await changeAll(
      group.map(({ session }) => session),
      change,
      { expected },
    );
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
