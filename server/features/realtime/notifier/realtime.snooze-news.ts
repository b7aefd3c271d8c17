/** Who is notified when a conversation's snooze ends. */
import type { Tx } from '../../../platform/db/db.ts';
import { personMay } from '../../accounts/accounts.ts';
import { userMaySee } from '../../kanbans/kanbans.ts';
import type { LoggedChange } from '../realtime.log.sql.ts';
import {
  type Colleague,
  findSnoozer,
  type NewNotification,
  selectColleagues,
  selectWaiting,
  type WaitingSession,
} from '../realtime.notifications.sql.ts';
import { wholeSettings } from '../realtime.settings.ts';
import { wordsIn } from '../realtime.words.ts';
import { type Boards, recipients } from './realtime.news.ts';

/** The owner of the conversation. Without one, the people whom a message would notify, and the one who snoozed it. */
export async function aboutSnooze(
  tx: Tx,
  boards: Boards,
  { accountId, subjectId }: LoggedChange,
  now: number,
): Promise<NewNotification | null> {
  const session = await selectWaiting(tx, accountId, subjectId, null);
  const kanban = session && (await boards(tx, accountId)).kanbans.get(session.kanbanId);
  if (!kanban) return null;
  const may = (await selectColleagues(tx, accountId)).filter(
    (one) => personMay(one, 'conversations.view') && userMaySee(one, kanban),
  );
  const snoozer = await findSnoozer(tx, accountId, subjectId);
  const called = calledBySnooze(may, session, snoozer).filter(({ id }) => !session.viewerIds.includes(id));
  return {
    kind: 'snooze_ended',
    subjectId,
    title: session.name,
    body: wordsIn('en').snooze,
    to: recipients(called, () => 'snooze_ended', now),
  };
}

function calledBySnooze(may: Colleague[], session: WaitingSession, snoozer: string | null): Colleague[] {
  const { ownerId, assignedUserIds, waitsForPerson } = session;
  const owner = may.filter(({ id }) => id === ownerId);
  if (owner.length > 0) return owner;
  const isAssigned = may.some(({ id }) => assignedUserIds.includes(id));
  const hearsAll = ({ settings }: Colleague) => {
    const { page, push } = wholeSettings(settings).topics.message_any;
    return page || push;
  };
  return may.filter(
    (one) =>
      one.id === snoozer ||
      assignedUserIds.includes(one.id) ||
      (waitsForPerson && !isAssigned) ||
      hearsAll(one),
  );
}
