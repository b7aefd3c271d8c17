/** `notify`: users, and the members of teams, who may see what the rule runs for, get a notification and perhaps an e-mail. */
import type { StepEffect } from '../../../contract/automation/runs.ts';
import type { Tx } from '../../platform/db/db.ts';
import { noteForUsers } from '../../platform/events/live-changes.ts';
import { AppError } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { selectUsersByIds } from '../accounts/accounts.ts';
import { userMaySee } from '../kanbans/kanbans.ts';
import { requireTeam } from '../teams/teams.ts';
import type { Step } from './steps.fill.ts';
import type { Scene } from './steps.scene.ts';

export const ruleMailJobKind = jobKind('rule-mail');
/** About half an hour: longer than servers that greylist want to wait. */
const mailAttempts = 12;

export interface RuleMail {
  userId: string;
  ruleName: string;
  text: string;
  sessionId: string | null;
  recordId: string | null;
  /** The same in every attempt, so that a server can recognise a repetition. */
  id: string;
}

/** Nobody of them may see the conversation or the card. */
export class NobodyToNotify extends AppError {
  constructor() {
    super(409, 'CONFLICT', 'none of them may see this board');
  }
}

export async function notify(tx: Tx, scene: Scene, step: Step): Promise<StepEffect[]> {
  const { actor, session, record } = scene;
  const { accountId } = actor;
  const userIds = await selectNotified(tx, scene, step);
  if (userIds.length === 0) throw new NobodyToNotify();
  const text = step.text!;
  await noteForUsers(tx, accountId, {
    type: 'rule.notified',
    subjectId: session?.sessionId ?? record?.recordId ?? `rule:${actor.id}`,
    itemId: session ? null : (record?.recordId ?? null),
    userIds,
    detail: JSON.stringify({ ruleId: actor.id, ruleName: actor.name, text: text.slice(0, 1_000) }),
  });
  if (!step.email) return userIds.map((id) => ({ kind: 'notification', id }));
  for (const userId of userIds) {
    const mail: RuleMail = {
      userId,
      ruleName: actor.name,
      text,
      sessionId: session?.sessionId ?? null,
      recordId: record?.recordId ?? null,
      id: newId(),
    };
    await enqueue(tx, { accountId, kind: ruleMailJobKind, payload: mail, maxAttempts: mailAttempts });
  }
  return userIds.flatMap((id) => [
    { kind: 'notification', id },
    { kind: 'mail', id },
  ]);
}

async function selectNotified(
  tx: Tx,
  { actor, session, record, config }: Scene,
  { userIds = [], teamIds = [] }: Step,
): Promise<string[]> {
  const { accountId } = actor;
  const teams = await Promise.all(teamIds.map((id) => requireTeam(tx, accountId, id)));
  const ids = [...new Set([...userIds, ...teams.flatMap((team) => team.userIds)])];
  const users = await selectUsersByIds(tx, accountId, ids);
  const kanban = config.definitions.kanbans.get(session?.kanbanId ?? record?.kanbanId ?? '');
  return users.filter((user) => !kanban || userMaySee(user, kanban)).map(({ id }) => id);
}
