/** What a rule tells users, by its step `notify`. */
import type { Tx } from '../../../platform/db/db.ts';
import type { LoggedChange } from '../realtime.log.sql.ts';
import {
  findRecordPeople,
  type NewNotification,
  selectColleagues,
  selectWaiting,
} from '../realtime.notifications.sql.ts';
import { excerpt, recipients } from './realtime.news.ts';

/** Who may see the board was decided when the step was performed. */
export async function notifiedByRule(
  tx: Tx,
  { accountId, subjectId, itemId: recordId, userId, detail }: LoggedChange,
  now: number,
): Promise<NewNotification> {
  const { ruleName, text } = JSON.parse(detail!) as { ruleName: string; text: string };
  const record = recordId === null ? null : await findRecordPeople(tx, accountId, recordId);
  const session = recordId === null ? await selectWaiting(tx, accountId, subjectId, null) : null;
  const name = record?.title ?? session?.name;
  const people = (await selectColleagues(tx, accountId)).filter(({ id }) => id === userId);
  return {
    kind: 'rule',
    subjectId,
    ...(recordId !== null && { recordId }),
    title: name === undefined ? ruleName : `${ruleName} · ${name}`,
    body: excerpt(text.trim()),
    to: recipients(people, () => 'rule', now),
  };
}
