import type { CopilotOutcome, CopilotTask } from '../../../contract/copilot.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export interface StoredSettings {
  agentId: string | null;
  tasks: CopilotTask[];
}

export async function findSettings(db: Reader, accountId: string): Promise<StoredSettings | null> {
  const [row] = await db.query<StoredSettings>(sql`
    select agent_id as "agentId", tasks from copilot_settings where account_id = ${accountId}`);
  return row ?? null;
}

export async function saveSettings(
  tx: Tx,
  accountId: string,
  { agentId, tasks }: StoredSettings,
): Promise<void> {
  await tx.query(sql`
    insert into copilot_settings (account_id, agent_id, tasks) values (${accountId}, ${agentId}, ${tasks})
    on conflict (account_id) do update set agent_id = excluded.agent_id, tasks = excluded.tasks`);
}

export interface NewSuggestion {
  id: string;
  sessionId: string;
  agentId: string;
  userId: string;
  task: 'suggest' | 'rewrite';
  createdAt: number;
}

export async function insertSuggestion(
  tx: Tx,
  accountId: string,
  { id, sessionId, agentId, userId, task, createdAt }: NewSuggestion,
): Promise<void> {
  await tx.query(sql`
    insert into copilot_suggestions (account_id, id, session_id, agent_id, user_id, task, created_at)
    values (${accountId}, ${id}, ${sessionId}, ${agentId}, ${userId}, ${task}, ${createdAt})`);
}

/** Of the user who asked for it. Whether there is one. */
export async function saveOutcome(
  tx: Tx,
  accountId: string,
  of: { id: string; sessionId: string; userId: string },
  outcome: CopilotOutcome['outcome'],
  now: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update copilot_suggestions set outcome = ${outcome}, decided_at = ${now}
    where account_id = ${accountId} and id = ${of.id} and session_id = ${of.sessionId} and user_id = ${of.userId}
    returning 1`);
  return rows.length > 0;
}
