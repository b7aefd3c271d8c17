/** Who is notified of a target that is due soon, or was missed. */
import type { Tx } from '../../../platform/db/db.ts';
import { personMay } from '../../accounts/accounts.ts';
import { userMaySee } from '../../kanbans/kanbans.ts';
import type { LoggedChange } from '../realtime.log.sql.ts';
import { findResponsible, type NewNotification, selectColleagues } from '../realtime.notifications.sql.ts';
import { wordsIn } from '../realtime.words.ts';
import { type Boards, recipients } from './realtime.news.ts';

/** The owner of the conversation; without one, its team. */
export async function aboutServiceLevel(
  tx: Tx,
  boards: Boards,
  { accountId, subjectId, type }: LoggedChange,
  now: number,
): Promise<NewNotification | null> {
  const session = await findResponsible(tx, accountId, subjectId);
  const kanban = session && (await boards(tx, accountId)).kanbans.get(session.kanbanId);
  if (!kanban) return null;
  const { name, userIds, viewerIds } = session;
  const may = (await selectColleagues(tx, accountId)).filter(
    (one) =>
      userIds.includes(one.id) &&
      !viewerIds.includes(one.id) &&
      personMay(one, 'conversations.view') &&
      userMaySee(one, kanban),
  );
  const kind = type === 'sla.warning' ? 'sla_warning' : 'sla_breached';
  const { slaWarning, slaBreached } = wordsIn('en');
  return {
    kind,
    subjectId,
    title: name,
    body: kind === 'sla_warning' ? slaWarning : slaBreached,
    to: recipients(may, () => kind, now),
  };
}
